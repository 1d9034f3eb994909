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

# Act one: an update goes wrong.

title 'The app has version 3 in the field, and expects version 4 after its update'
run 0 fitness-log create fitness.db --schema-version 3
run 0 fitness-log create reference.db --schema-version 4 --workouts 10
run 0 dbrescue contract capture reference.db --output v4.contract.json

title 'A migration forgets a column; the guard finds out, and shows the blocking message'
run 19 dbrescue guard fitness.db --contract v4.contract.json --on-failure stop -- \
  fitness-log migrate fitness.db --forget-column
code=$(grep -o 'DBR-[0-9A-Z-]*' output.txt | tail -n 1)

title 'What can be done, and what each way would keep and lose'
run 20 dbrescue recover fitness.db --contract v4.contract.json

title 'Back to version 3, from the backup that the guard has made; then the right migration'
run 10 dbrescue restore fitness.db --contract v4.contract.json --yes
run 0 dbrescue guard fitness.db --contract v4.contract.json -- fitness-log migrate fitness.db

# Act two: a disk loses pages.

title 'A backup of version 4; later a disk loses twelve pages'
run 0 dbrescue backup fitness.db --contract v4.contract.json
cp fitness.db user.db
run 0 fitness-log damage user.db --kind zero-range:163840,49152

title 'What happened to the file, what is lost, and a report to pass on'
run 14 dbrescue diagnose user.db --contract v4.contract.json --report report.html

title 'What can be read goes into a fresh database, and what is missing comes from the backup'
backup=$(ls fitness.db.rescue/backups/*.db.gz | tail -n 1)
run 0 dbrescue salvage user.db --schema v4.contract.json --backup "$backup" --output salvaged.db
run 0 dbrescue check salvaged.db --contract v4.contract.json

title 'Later: what the code of the blocking message says'
run 0 dbrescue explain "$code"
run 0 dbrescue log show "$code"

printf '\nEverything is in ./demo; open demo/report.html in a browser.\n'
