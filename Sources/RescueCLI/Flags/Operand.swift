// SPDX-License-Identifier: Apache-2.0
// One positional argument as a value, and the table of them.

import DatabaseRescue

/// One positional argument of a command.
struct Operand: Hashable, Sendable {
  /// What it is, as far as completion cares.
  enum Kind: Hashable, Sendable {
    /// A file or a folder.
    case path
    /// Words.
    case text
    /// One of the words given.
    case choice([String])
    /// The name of a command.
    case command
  }

  /// What stands for it in a usage line.
  let name: String
  /// What it is.
  let kind: Kind
  /// Whether any number may be given.
  ///
  /// Only the last operand of a command may be so.
  let isRepeatable: Bool
  /// Whether it, or all of it, may be left out.
  ///
  /// Only the last operand of a command may be so.
  let isOptional: Bool
  /// What it is for: a phrase in lower case without a full stop.
  let purpose: String

  private init(
    _ name: String, _ kind: Kind = .path, isRepeatable: Bool = false, isOptional: Bool = false,
    help purpose: String
  ) {
    self.name = name
    self.kind = kind
    self.isRepeatable = isRepeatable
    self.isOptional = isOptional
    self.purpose = purpose
  }

  /// The operand as it stands in a usage line.
  var usage: String {
    let term = isRepeatable ? "\(name) ..." : name
    return isOptional ? "[\(term)]" : term
  }
}

extension Operand {
  static let file = Operand("FILE", help: "the database file")
  static let more = Operand("MORE", isRepeatable: true, isOptional: true, help: "more databases")
  static let oldest = Operand("OLD", help: "the oldest of the databases")
  static let newer = Operand(
    "NEW", isRepeatable: true,
    help: "the newer ones, the newest last: its schema is that of the result")
  static let starts = Operand(
    "START", isRepeatable: true, isOptional: true,
    help: "a database of some version, or a script or contract of one")
  static let replacedFile = Operand(
    "FILE", isOptional: true,
    help: "the database file; if left out, the one in this folder that the run has replaced")
  static let vaultFolder = Operand(
    "DIR|FILE", help: "the folder of the backups, or the database that they belong to")
  static let backups = Operand(
    "BACKUP", isRepeatable: true, isOptional: true,
    help: "the backups to verify; all of the vault if none is named")
  static let backup = Operand("BACKUP", help: "the backup file")
  static let first = Operand("A", help: "the contract to start from")
  static let second = Operand("B", help: "the contract to arrive at")
  static let playbook = Operand(
    "PLAYBOOK", help: "the name of a playbook that comes with dbrescue, or the path of one")
  static let code = Operand("CODE", .text, help: "the support code of a run")
  static let subject = Operand(
    "CODE|FINDING", .text,
    help: "a support code, the code of a finding such as DBR-F060, or 'findings' for all of them")
  static let topic = Operand(
    "COMMAND", .command, isRepeatable: true, isOptional: true,
    help: "the command to explain, such as 'vault list'")
  static let format = Operand(
    "FORMAT", .choice(PublishedFormat.allCases.map(\.rawValue)),
    help: "report, contract, log or playbook")
  static let shell = Operand(
    "SHELL", .choice(Shell.allCases.map(\.rawValue)), help: "bash, zsh or fish")
}

/// The shells that completions are made for.
enum Shell: String, CaseIterable, Sendable {
  case bash
  case zsh
  case fish
}
