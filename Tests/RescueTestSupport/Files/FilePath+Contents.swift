// SPDX-License-Identifier: Apache-2.0
// Whole files read and written in one line, for fixtures small enough to hold in memory.

package import DatabaseRescue
package import SQLiteFormat

extension FilePath {
  /// Whether there is a file here.
  package var exists: Bool {
    get throws { try SystemStorage().status(of: self) != nil }
  }

  /// The whole content of the file.
  package func contents() throws -> Bytes {
    let file = try SystemStorage().open(self, .read)
    return try file.read(at: 0, count: file.byteCount)
  }

  /// Makes the file hold exactly these bytes, whether it existed or not.
  package func replaceContents(with bytes: Bytes) throws {
    let storage = SystemStorage()
    try storage.remove(self)
    try storage.open(self, .createNew).write(bytes, at: 0)
  }

  /// Copies a database with those of its sidecars that exist.
  package func copyFileSet(to other: FilePath) throws {
    for suffix in [""] + Self.journalSuffixes where try adding(suffix: suffix).exists {
      try other.adding(suffix: suffix).replaceContents(with: adding(suffix: suffix).contents())
    }
  }

  /// Removes a database with its sidecars.
  package func removeFileSet() throws {
    for suffix in [""] + Self.sidecarSuffixes {
      try SystemStorage().remove(adding(suffix: suffix))
    }
  }
}
