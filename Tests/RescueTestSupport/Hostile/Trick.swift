// SPDX-License-Identifier: Apache-2.0
// One thing that whoever made a hostile file tries: in its schema, beside it, or in its folder.

package import DatabaseRescue
import SQLiteFormat

/// One thing that a hostile input tries.
package struct Trick: Sendable, CustomStringConvertible {
  /// What is tried, in one line.
  package let description: String
  /// Whether even the sound table may suffer from it, as its pages have two owners.
  package var sparesSound = true
  /// Statements on a connection whose schema can be written.
  var steps: [DatabaseBuilder.Step] = []
  /// What is put beside the database or elsewhere.
  var place: @Sendable (HostileGround) throws -> Void = { _ in }

  init(_ description: String) {
    self.description = description
  }

  /// A trick of any kind.
  package static func any(_ random: inout SeededRandom) -> Trick {
    switch random.below(20) {
    case 0..<4: twins(&random)
    case 4..<7: chain(&random)
    case 7..<10: row(&random)
    case 10..<12: growth(&random)
    case 12..<14: shadow(&random)
    case 14: lie(&random)
    case 15: superJournal(&random)
    case 16: oddJournal(&random)
    case 17: foreignLog(&random)
    case 18: rescueFolder(&random)
    default: links(&random)
    }
  }
}

/// The folders in which a hostile input is tried, and what must not change in them.
///
///     in/app.db          the input, with what came beside it
///     canary/            what the input must not reach
///     tmp/, out/, vault/, log/
package struct HostileGround: Sendable {
  /// The folder of all.
  package let root: FilePath

  /// Names the folders of a case.
  package init(root: FilePath) { self.root = root }

  /// The input.
  package var database: FilePath { root.appending("in/app.db") }
  /// The database of somebody else.
  package var victim: FilePath { root.appending("canary/victim.db") }
  /// The file of somebody else.
  package var file: FilePath { root.appending("canary/thesis.txt") }
  /// The folder of somebody else.
  package var folder: FilePath { root.appending("canary/folder") }
  /// A name that stays free.
  package var new: FilePath { root.appending("canary/new.db") }

  /// Puts the places of this ground into a text.
  func resolve(_ text: String) -> String {
    guard text.contains("{") else { return text }
    return text.replacingAll("{victim}", victim.description).replacingAll(
      "{file}", file.description
    )
    .replacingAll("{folder}", folder.description).replacingAll("{new}", new.description)
  }

  /// Makes a file, with the folders above it.
  func write(_ bytes: Bytes, to name: FilePath) throws {
    let path = root.appending(name)
    try SystemStorage().createFolder(path.folder)
    try path.replaceContents(with: bytes)
  }
}

extension String {
  /// The text with another in place of every occurrence of a part.
  func replacingAll(_ part: String, _ other: String) -> String {
    var result = String.UnicodeScalarView()
    let (scalars, wanted) = (Array(unicodeScalars), Array(part.unicodeScalars))
    var index = 0
    while index < scalars.count {
      if scalars[index...].starts(with: wanted) {
        result.append(contentsOf: other.unicodeScalars)
        index += wanted.count
      } else {
        result.append(scalars[index])
        index += 1
      }
    }
    return String(result)
  }
}
