// SPDX-License-Identifier: Apache-2.0
// What a failed call of SQLite means for people.

extension RescueError {
  /// A failed call of SQLite as an error for people; `doing` reads like `open 'app.db'`.
  package init(_ error: SQLiteError, doing: String, meaning: String = "") {
    let (kind, advice): (Kind, String) =
      switch error.cause {
      case .busy: (.busy, "close the app that uses the database, or try again later")
      case .damaged: (.invalidInput, "dbrescue diagnose FILE")
      case .inputOutput: (.inputOutput, "check the disk, and copy the file elsewhere")
      case .full: (.cannotWrite, "free some space, or choose another folder")
      case .permission, .cannotOpen: (.permission, "check who owns the file and its folder")
      case .constraint, .other: (.internal, "please report this with the support code")
      }
    self.init(kind, "cannot \(doing): \(error.message)", meaning: meaning, advice: advice)
  }

  /// A failed call of SQLite on a file that this run has made: it is the disk that is in the way,
  /// and not its owner.
  static func ofOwnFile(_ error: SQLiteError, doing: String, meaning: String) -> RescueError {
    guard error.cause == .cannotOpen else {
      return RescueError(error, doing: doing, meaning: meaning)
    }
    return RescueError(
      .inputOutput, "cannot \(doing): \(error.message)", meaning: meaning,
      advice: "try again, and check the disk if it happens again")
  }
}

extension SQLiteError: TellableError {
  func told(doing: String, meaning: String) -> RescueError {
    RescueError(self, doing: doing, meaning: meaning)
  }
}
