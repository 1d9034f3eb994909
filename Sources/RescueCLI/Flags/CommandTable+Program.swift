// SPDX-License-Identifier: Apache-2.0
// The commands that look up earlier runs, and those about the program itself.

extension Command {
  static let logList = Command(
    "log list", .records, "list the last runs",
    description: ["Prints the time, support code, command, verdict and outcome of each run."],
    flags: [.last],
    examples: [("dbrescue log list --last 5", "the last five runs")],
    exitCodes: [.permission])

  static let logShow = Command(
    "log show", .records, "print everything that was recorded of a run",
    description: ["Looks the support code up in the run log of this machine."],
    operands: [.code],
    examples: [("dbrescue log show CODE", "CODE as the run printed it")],
    exitCodes: [.missing, .permission, .invalidInput])

  static let schema = Command(
    "schema", .program, "print the JSON Schema of a format",
    description: [
      """
      Prints the schema (draft 2020-12) of what every command answers with --json, of a contract, \
      of a line of the run log, or of a playbook; with --markdown the same as a page for people.
      """
    ],
    operands: [.format], flags: [.markdown.saying("print a reference page as Markdown")],
    examples: [
      ("dbrescue schema report > report.schema.json", "what --json and --report OUT.json hold"),
      ("dbrescue schema contract > contract.schema.json", "for an editor that checks contracts"),
    ])

  static let help = Command(
    "help", .program, "explain a command, or the program",
    description: ["The same as COMMAND --help."],
    operands: [.topic],
    examples: [
      ("dbrescue help", "the program, and every exit status"),
      ("dbrescue help vault list", "one command"),
    ])

  static let completions = Command(
    "completions", .program, "print the completion script of a shell",
    description: ["Load the script in the start-up file of the shell, or install it."],
    operands: [.shell],
    examples: [
      ("source <(dbrescue completions bash)", "in ~/.bashrc"),
      (
        "dbrescue completions zsh > ~/.zfunc/_dbrescue",
        "where ~/.zfunc stands in fpath"
      ),
      (
        "dbrescue completions fish > ~/.config/fish/completions/dbrescue.fish",
        "fish finds it there"
      ),
    ])

  static let man = Command(
    "man", .program, "print the manual page",
    description: ["The page is in mdoc, as man reads it."],
    examples: [("dbrescue man > dbrescue.1 && man ./dbrescue.1", "read it without installing it")])
}
