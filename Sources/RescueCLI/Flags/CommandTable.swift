// SPDX-License-Identifier: Apache-2.0
// The table of commands. All that is said about a command is said here and in the files beside it.

extension Command {
  /// Every command, in the order of the help.
  static let all: [Command] = [
    check, diagnose, explain,
    backup, vaultList, vaultStatus, vaultVerify, vaultPrune, vaultExtract, guarded, migrate,
    rehearse,
    contractCapture, contractImport, contractVerify, contractDiff,
    recover, restore, salvage, merge, reset, undo,
    playbookList, playbookShow, playbookValidate, playbookRun,
    logList, logShow,
    schema, help, completions, man,
  ]

  /// The command of a name.
  static func named(_ name: String) -> Command? { all.first { $0.name == name } }

  /// The commands whose first word is the one given, where that word alone is no command.
  static func group(_ word: String) -> [Command] {
    all.filter { $0.words.count > 1 && $0.words.first == word }
  }

  /// The words that a command line can start with, in the order of the help.
  static let firstWords: [String] = all.reduce(into: []) { words, command in
    if let word = command.words.first, words.last != word { words.append(word) }
  }

  /// What the commands of a group do, by the word that they share.
  static let groupSummaries = [
    "vault": "list, watch, prove, prune and extract the backups of a database",
    "contract": "capture, check and compare what an app expects of its database",
    "playbook": "list, read, validate and run playbooks",
    "log": "look up the runs of this machine",
  ]
}
