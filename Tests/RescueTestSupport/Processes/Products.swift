// SPDX-License-Identifier: Apache-2.0
// Where the programs of this package lie while its tests run.

package import DatabaseRescue

/// The programs that were built together with the tests.
package enum Products {
  /// The command itself.
  package static var dbrescue: FilePath { get throws { try program("dbrescue") } }
  /// The bundled sample app.
  package static var fitnessLog: FilePath { get throws { try program("fitness-log") } }
  /// The maker of `samples/`.
  package static var makeSamples: FilePath { get throws { try program("make-samples") } }

  /// A program of this package, by name.
  ///
  /// - Throws: ``UnfitFixture`` when it has not been built.
  package static func program(_ name: String) throws -> FilePath {
    for folder in folders {
      let path = folder.appending(FilePath(name))
      if try path.exists { return path }
    }
    throw UnfitFixture("'\(name)' is not built; run swift build first")
  }

  /// The build folder: the one that holds the test bundle, else the default one.
  private static var folders: [FilePath] {
    let bundles = CommandLine.arguments.compactMap { argument -> FilePath? in
      guard let end = argument.range(of: ".xctest") else { return nil }
      return FilePath(String(argument[..<end])).folder
    }
    return bundles + [Checkout.root.appending(".build/debug")]
  }
}

extension String {
  /// Where a text first occurs, for those who do without Foundation.
  fileprivate func range(of text: String) -> String.Index? {
    indices.first { self[$0...].hasPrefix(text) }
  }
}
