// SPDX-License-Identifier: Apache-2.0
// A folder of a test's own, gone when the test is over.

package import DatabaseRescue

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A fresh folder that is removed, with all in it, when the last reference goes.
///
/// As a stored property of a suite it lives exactly as long as one test:
///
///     @Suite struct VaultTests {
///       let scratch: ScratchFolder
///       init() throws { scratch = try ScratchFolder() }
///       ...
///     }
///
/// A local one could be released at its last mention: use ``with(_:)`` there.
package final class ScratchFolder: Sendable {
  /// Where the folder is: absolute, with symbolic links followed.
  package let path: FilePath

  /// Makes the folder.
  package init() throws {
    let name = "dbrescue-test-" + String(UInt64.random(in: .min ... .max), radix: 36)
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = try SystemStorage().resolve(FilePath(url.path))
  }

  deinit {
    // What is left in the temporary folder does no harm, and nobody could act on the error.
    try? FileManager.default.removeItem(atPath: path.description)
  }

  /// The path of a file in the folder.
  package subscript(name: FilePath) -> FilePath { path.appending(name) }

  /// Runs a body with a folder that exists until the body returns.
  package static func with<Result>(
    _ body: (ScratchFolder) throws -> Result
  ) throws -> Result {
    let folder = try ScratchFolder()
    return try withExtendedLifetime(folder) { try body(folder) }
  }
}
