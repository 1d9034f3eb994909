// SPDX-License-Identifier: Apache-2.0
// The words of support codes as tables: numbers never change meaning and are never reused.

extension SupportCode {
  /// What was run.
  package enum Operation: UInt8, Hashable, Sendable, CaseIterable {
    // The number 0 is never given away, so that nothing means something by accident; 16 to 18 and 20
    // to 22 were meant for what is not done.
    case check = 1
    case diagnose = 2
    case backup = 3
    case vaultVerify = 4
    case vaultPrune = 5
    case vaultExtract = 6
    case restore = 7
    case salvage = 8
    case reset = 9
    case recover = 10
    case undo = 11
    case `guard` = 12
    case migrate = 13
    case rehearse = 14
    case contractVerify = 15
    case playbook = 19
    case open = 23
    case vaultStatus = 24
    case merge = 25

    /// The word in logs and reports, such as `vault-verify`.
    package var name: String {
      switch self {
      case .check: "check"
      case .diagnose: "diagnose"
      case .backup: "backup"
      case .vaultVerify: "vault-verify"
      case .vaultPrune: "vault-prune"
      case .vaultExtract: "vault-extract"
      case .restore: "restore"
      case .salvage: "salvage"
      case .reset: "reset"
      case .recover: "recover"
      case .undo: "undo"
      case .guard: "guard"
      case .migrate: "migrate"
      case .rehearse: "rehearse"
      case .contractVerify: "contract-verify"
      case .playbook: "playbook"
      case .open: "open"
      case .vaultStatus: "vault-status"
      case .merge: "merge"
      }
    }

    /// What it does, in a few words.
    package var meaning: String {
      switch self {
      case .check: "a fast check of a database"
      case .diagnose: "a full diagnosis of a database"
      case .backup: "making a backup"
      case .vaultVerify: "verifying the backups of a vault"
      case .vaultPrune: "removing old backups from a vault"
      case .vaultExtract: "copying a backup out of a vault"
      case .restore: "restoring a database from a backup"
      case .salvage: "bringing rows out of a damaged file into a new database"
      case .reset: "replacing a database by an empty one; the old files are kept"
      case .recover: "diagnosing a database and carrying out a chosen remedy"
      case .undo: "bringing back the files that an earlier run displaced"
      case .guard: "guarding a migration made by another program"
      case .migrate: "migrating with numbered SQL files"
      case .rehearse: "trying a migration on copies"
      case .contractVerify: "comparing a database with its contract"
      case .playbook: "running a playbook"
      case .open: "the start of an app: checking, and migrating where that is due"
      case .vaultStatus: "looking at databases and at how old their backups are"
      case .merge: "making one database of several"
      }
    }
  }

  /// How far a run came.
  package enum Stage: UInt8, Hashable, Sendable, CaseIterable {
    case start = 0
    case open = 1
    case diagnose = 3
    case plan = 4
    case backup = 5
    case migrate = 6
    case verify = 7
    case export = 8
    case act = 9
    case install = 10
    case log = 11
    case done = 12

    /// The word in logs and reports.
    package var name: String {
      switch self {
      case .start: "start"
      case .open: "open"
      case .diagnose: "diagnose"
      case .plan: "plan"
      case .backup: "backup"
      case .migrate: "migrate"
      case .verify: "verify"
      case .export: "export"
      case .act: "act"
      case .install: "install"
      case .log: "log"
      case .done: "done"
      }
    }

    /// What was going on then, as in "it ended while ...".
    package var meaning: String {
      switch self {
      case .start: "getting ready"
      case .open: "opening the file"
      case .diagnose: "looking for damage"
      case .plan: "working out what can be done"
      case .backup: "making a backup"
      case .migrate: "migrating"
      case .verify: "verifying the result"
      case .export: "exporting rows that were not sent yet"
      case .act: "carrying out the plan"
      case .install: "putting the new database in place"
      case .log: "writing the run log"
      case .done: "nothing was left to do"
      }
    }
  }

  /// How a run ended.
  package enum Outcome: UInt8, Hashable, Sendable, CaseIterable {
    // The number 0 is never given away, so that nothing is no success by accident.
    case succeeded = 1
    case succeededWithLoss = 2
    case nothingToDo = 3
    case findings = 4
    case needsDecision = 5
    case declined = 6
    case failed = 7
    case interrupted = 8

    /// The word in logs and reports.
    package var name: String {
      switch self {
      case .succeeded: "succeeded"
      case .succeededWithLoss: "succeeded-with-loss"
      case .nothingToDo: "nothing-to-do"
      case .findings: "findings"
      case .needsDecision: "needs-decision"
      case .declined: "declined"
      case .failed: "failed"
      case .interrupted: "interrupted"
      }
    }

    /// What it means, in a few words.
    package var meaning: String {
      switch self {
      case .succeeded: "it succeeded"
      case .succeededWithLoss: "it succeeded, and rows were lost"
      case .nothingToDo: "there was nothing to do"
      case .findings: "it looked, found something, and changed nothing"
      case .needsDecision: "it needs a decision and changed nothing"
      case .declined: "it was declined or cancelled"
      case .failed: "it failed"
      case .interrupted: "it was interrupted"
      }
    }
  }

  /// What is known of rows that were not sent anywhere yet, without their number.
  package enum Unsynced: UInt8, Hashable, Sendable, CaseIterable {
    case notLookedFor = 0
    case none = 1
    case some = 2
    case cannotTell = 3

    /// Forgets the number of rows; nil means that nobody looked.
    package init(_ rows: UnsyncedRows?) {
      self =
        switch rows {
        case nil: .notLookedFor
        case .some(.none), .some(.some(0)): .none
        case .some(.some): .some
        case .some(.cannotTell): .cannotTell
        }
    }

    /// The word in logs and reports.
    package var name: String {
      switch self {
      case .notLookedFor: "not-looked-for"
      case .none: "none"
      case .some: "some"
      case .cannotTell: "cannot-tell"
      }
    }
  }

  /// A schema version as a code can hold it: exactly, as "this or later", or not at all.
  package struct Version: Hashable, Sendable, CustomStringConvertible {
    let number: Int

    private static let limit = 2046
    private static let unknown = 2047

    /// Makes the nearest version that a code can hold; what is below zero counts as unknown.
    package init(_ version: Int?) {
      number =
        switch version {
        case .some(let version) where version >= 0: min(version, Self.limit)
        default: Self.unknown
        }
    }

    init(number: Int) {
      self.number = min(max(number, 0), Self.unknown)
    }

    /// The version, or the least that it can be; nil when unknown.
    package var value: Int? { number == Self.unknown ? nil : number }

    /// Whether the version can also be any later one.
    package var isLeast: Bool { number == Self.limit }

    /// The version for people.
    package var description: String {
      guard let value else { return "unknown" }
      return isLeast ? "\(value) or later" : String(value)
    }
  }
}

/// A member of an enumeration by its number, which a newer program may have given away.
package struct Coded<Value>: Hashable, Sendable
where Value: RawRepresentable & Hashable & Sendable, Value.RawValue == UInt8 {
  /// The number.
  package let number: UInt8

  /// The member; nil when this program does not know the number.
  package var value: Value? { Value(rawValue: number) }

  /// Makes the number of a member.
  package init(_ value: Value) {
    number = value.rawValue
  }

  /// Makes a number that may be unknown.
  init(number: UInt8) {
    self.number = number
  }

  /// What `text` says of the member, or `unknown (n)`.
  package func text(_ text: (Value) -> String) -> String {
    value.map(text) ?? "unknown (\(number))"
  }
}
