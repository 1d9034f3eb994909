// SPDX-License-Identifier: Apache-2.0
// What a failed system call means for people.

extension RescueError {
  /// A failed system call as an error for people.
  package init(_ error: StorageError, meaning: String = "") {
    let (kind, advice): (Kind, String) =
      switch error.cause {
      case .missing: (.missing, "check the path")
      case .permission:
        (.permission, "check who owns the file and its folder, or copy it elsewhere")
      case .noSpace: (.cannotWrite, "free some space, or choose another folder")
      case .readOnly: (.cannotWrite, "choose a folder that can be written to")
      case .folder: (.invalidInput, "give the path of a file, not of a folder")
      case .noFile: (.invalidInput, "copy what it gives into a file, and give that")
      case .noLocks:
        (.cannotWrite, "work on a file system that can lock files, such as that of a local disk")
      case .exists: (.cannotWrite, "choose a name that is not taken, or move the file away")
      case .other: (.inputOutput, "copy the file to another disk and try again")
      }
    self.init(kind, error.description, meaning: meaning, advice: advice)
  }
}

extension StorageError: TellableError {
  func told(doing: String, meaning: String) -> RescueError { RescueError(self, meaning: meaning) }
}
