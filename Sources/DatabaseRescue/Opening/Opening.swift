// SPDX-License-Identifier: Apache-2.0
// How the start of an app ends: with a database that may be opened, or with a screen in its place.

public import Diagnosis

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How the start of an app ends.
public enum Opening: Sendable {
  /// The database is as this version of the app expects it: it may be opened.
  case ready(ReadyDatabase)
  /// Nothing may open the database: show the message in the place of the app.
  case blocked(Blockade)
}

/// A database that may be opened.
public struct ReadyDatabase: Sendable {
  /// Where it is.
  public let path: FilePath
  /// The support code of the start.
  public let code: SupportCode
  /// Whether it was made by this start.
  public let isNew: Bool
  /// What a migration did on the way; nil where none was due.
  public let migration: GuardReport?
  /// What there is to say of it although it may be opened, such as that it is older than its newest
  /// backup.
  public let findings: [Finding]
}

/// Why a database may not be opened, and what can be done about it.
public struct Blockade: Sendable {
  /// Something that can be done, as a button of the screen.
  public enum Option: Sendable {
    /// Start once more.
    case tryAgain
    /// Put a backup in the place of the database; what is there now is kept aside.
    case restore(Backup)

    /// The words on the button; `time` writes the time of a backup as users are used to.
    public func label(
      _ texts: UserTexts = UserTexts(), time: (Date) -> String = { $0.formatted(.iso8601) }
    ) -> String {
      switch self {
      case .tryAgain: texts[.tryAgainOption]
      case .restore(let backup):
        texts[.restoreOption].split(separator: "%@", omittingEmptySubsequences: false)
          .joined(separator: time(backup.created))
      }
    }
  }

  /// What the screen says.
  public let message: BlockingMessage
  /// What the screen offers, least destructive first.
  public let options: [Option]
  /// The verdict on the database, where it stands in the way.
  public let verdict: Verdict?
  /// What a migration did, where it was refused.
  public let migration: GuardReport?
  /// What else stood in the way: of reading, of making a backup.
  public let error: RescueError?
  /// What the app's own migration threw, for the app: it is in no log.
  public let thrown: (any Error)?

  /// The support code of the start.
  public var code: SupportCode { message.code }
}

/// How far the start of an app is.
public struct OpeningProgress: Hashable, Sendable {
  /// What is going on.
  public enum Stage: Hashable, Sendable, CaseIterable {
    /// Every page is read and checked.
    case checking
    /// A backup is made and proven.
    case backingUp
    /// The app migrates.
    case migrating
    /// The result is compared with what was before.
    case verifying
    /// The backup is put back.
    case restoring
  }

  /// What is going on.
  public let stage: Stage
  /// How much of it is done, from 0 to 1; nil where that cannot be told.
  public let fraction: Double?

  /// What is going on, in words.
  public func text(_ texts: UserTexts = UserTexts()) -> String {
    switch stage {
    case .checking: texts[.checkingStage]
    case .backingUp: texts[.backingUpStage]
    case .migrating: texts[.migratingStage]
    case .verifying: texts[.verifyingStage]
    case .restoring: texts[.restoringStage]
    }
  }
}

/// What the start of an app is asked to do.
public struct OpeningOptions: Sendable {
  /// The folder of the backups; nil for the one beside the database.
  public var vault: FilePath?
  /// How long locks of others are waited for.
  public var wait = Duration.seconds(5)
  /// What is done when the result of the migration is refused.
  public var onFailure = GuardReport.Remedy.restore
  /// What users read.
  public var texts = UserTexts()

  /// Makes options in which nothing is asked for.
  public init() {}
}
