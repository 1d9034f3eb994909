// SPDX-License-Identifier: Apache-2.0
// Real files from outside the project, for tests that skip where there are none.

package import DatabaseRescue

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder of this package's sources, and the data folders around it.
package enum Checkout {
  /// The root of the package, from where this file was when it was compiled.
  package static let root: FilePath = {
    var path = FilePath(#filePath)
    // This file lies four levels down: Tests, RescueTestSupport, Files, itself.
    for _ in 0..<4 { path = path.folder }
    return path
  }()

  /// The small databases that the project generates itself.
  package static let samples = root.appending("samples")
}

/// Files that are too large or too foreign for the repository.
package enum SharedData {
  /// The folder: `$DBRESCUE_SHARED_DATA`, else `shared/data` beside the checkout; nil where
  /// neither exists.
  package static let folder: FilePath? = {
    let named = ProcessInfo.processInfo.environment["DBRESCUE_SHARED_DATA"]
    let beside = Checkout.root.folder.appending("shared/data")
    let folder = named.map { FilePath($0) } ?? beside
    guard let status = try? SystemStorage().status(of: folder), status.kind == .folder else {
      return nil
    }
    return folder
  }()

  /// What a test says that is skipped for want of a file there.
  package static func missing(_ what: String) -> String {
    "\(what) is not here: it comes from outside, such as chinook.sqlite from "
      + "lerocha/chinook-database, and belongs into shared/data beside the checkout or the folder that "
      + "DBRESCUE_SHARED_DATA names; CONTRIBUTING.md has the whole list"
  }

  /// A file in the folder; nil where there is none, so that a test can skip.
  package static func file(_ name: FilePath) -> FilePath? {
    guard let path = folder?.appending(name), (try? path.exists) == true else { return nil }
    return path
  }
}
