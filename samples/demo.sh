#!/bin/sh
# The main job, end to end, on the bundled sample app: an offline fitness log.
# Every line that starts with $ is a real command that can be copied.
#
# Needs dbrescue and fitness-log in PATH; `make demo` sees to that. Works in ./demo.
set -u
rm -rf demo && mkdir demo && cd demo || exit 1
DBRESCUE_LOG="$PWD/runs.jsonl"
export DBRESCUE_LOG

title() { printf '\n\033[1m── %s\033[0m\n' "$*"; }

# Runs a command, shows it, and insists on its exit status, which travels through a file.
run() {
  expected=$1
  shift
  printf '\n$ %s\n' "$*"
  { "$@" 2>&1; echo $? >status.txt; } | tee output.txt
  status=$(cat status.txt)
  if [ "$status" != "$expected" ]; then
    printf '\nunexpected exit status %s, not %s\n' "$status" "$expected"
    exit 1
  fi
  [ "$status" = 0 ] || printf '(exit status %s)\n' "$status"
}

title 'The app has version 3 in the field, and expects version 4 after its update'
run 0 fitness-log create fitness.db --schema-version 3
run 0 fitness-log create reference.db --schema-version 4 --workouts 10

title 'What the app expects is captured as a contract'
run 0 dbrescue contract capture reference.db --output v4.contract.json

title 'A backup is taken, read back, and restored on trial'
run 0 dbrescue backup fitness.db
run 0 dbrescue vault list fitness.db

title 'A migration forgets a column; the guard finds out, and shows the blocking message'
run 19 dbrescue guard fitness.db --contract v4.contract.json --on-failure stop -- \
  fitness-log migrate fitness.db --forget-column
code=$(grep -o 'DBR-[0-9A-Z-]*' output.txt | tail -n 1)

title 'What can be done, and what each option would keep and lose'
run 20 dbrescue recover fitness.db --contract v4.contract.json

title 'Restore, on a copy: back to version 3, then the right migration under guard'
backup=$(ls fitness.db.rescue/backups/*.db.gz | tail -n 1)
cp fitness.db restored.db
run 10 dbrescue restore restored.db --from "$backup" --contract v4.contract.json --yes
run 0 dbrescue guard restored.db --contract v4.contract.json -- fitness-log migrate restored.db

title 'Salvage, on a copy: every row into a fresh version 4'
cp fitness.db drifted.db
run 0 dbrescue salvage drifted.db --schema v4.contract.json --output salvaged.db
run 0 dbrescue check salvaged.db --contract v4.contract.json

title 'Reset, on a copy: an empty version 4; unsynced rows are exported first'
cp fitness.db reset.db
run 0 dbrescue reset reset.db --schema v4.contract.json --yes --confirm reset.db
run 0 dbrescue check reset.db --contract v4.contract.json

title 'Later: what the code of the blocking message says, with and without the log'
run 0 dbrescue explain "$code"
run 0 dbrescue log show "$code"

printf '\nEverything is in ./demo.\n'
