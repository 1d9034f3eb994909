// SPDX-License-Identifier: Apache-2.0
// The commands of playbooks.

extension Command {
  static let playbookList = Command(
    "playbook list", .playbooks, "list the playbooks that come with dbrescue",
    description: ["Prints the name and the title of each."],
    examples: [("dbrescue playbook list", "which ones there are")])

  static let playbookShow = Command(
    "playbook show", .playbooks, "print a playbook as a checklist for people",
    description: ["Prints when to use it, when not to, and its steps with their conditions."],
    operands: [.playbook], flags: [.markdown],
    examples: [
      ("dbrescue playbook show failed-verification-after-update", "read it before it is needed"),
      ("dbrescue playbook show back-in-time --markdown > back-in-time.md", "for a wiki"),
    ],
    exitCodes: ExitCode.reading + [.invalidInput])

  static let playbookValidate = Command(
    "playbook validate", .playbooks, "check that a playbook can be run",
    description: ["Names unknown actions, facts and keys, each with its line and column."],
    operands: [.playbook],
    examples: [("dbrescue playbook validate ours.json5", "before it is needed")],
    exitCodes: ExitCode.reading + [.invalidInput])

  static let playbookRun = Command(
    "playbook run", .playbooks, "carry out a playbook on a database",
    description: [
      """
      Runs the steps in order, each only if its condition holds, and logs them under one support \
      code. Stops before a step that replaces the database or runs a program, unless --approve \
      names it; a destructive step without a proven backup in the same run is refused whatever the \
      playbook says.
      """
    ],
    operands: [.playbook, .file],
    flags: [
      .contract, .vault, .schema.saying("the schema for steps that need one"), .set, .approve,
      .report.saying("write a record of the incident too: OUT ends in .html, .json or .txt"),
      .force, .dryRun,
    ],
    examples: [
      (
        "dbrescue playbook run failed-verification-after-update app.db --dry-run",
        "what would happen, and why"
      ),
      (
        "dbrescue playbook run failed-verification-after-update app.db --approve restore",
        "the step 'restore' may replace the database"
      ),
    ],
    exitCodes: ExitCode.verdicts + ExitCode.guarding + ExitCode.reading + ExitCode.writing
      + ExitCode.asking
      + [.busy, .invalidInput])
}
