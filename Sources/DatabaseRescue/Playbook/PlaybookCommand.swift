// SPDX-License-Identifier: Apache-2.0
// The command that a step runs under guard: words for a program, and no line for a shell.

import SQLiteFormat

/// A word of a command, in which names in braces stand for values: `--to={version}`.
struct CommandWord {
  /// A piece of a word.
  private enum Piece {
    case text(Substring)
    case name(String)
  }

  /// The name that stands for the database.
  static let database = "database"

  private let pieces: [Piece]

  /// Reads a word; braces that hold no name are what they are.
  init(_ word: String) {
    var (pieces, rest) = ([Piece](), word[...])
    while let open = rest.firstIndex(of: "{") {
      let inside = rest[open...].dropFirst()
      let name = inside.prefix { $0 == "_" || $0.isASCII && ($0.isLowercase || $0.isNumber) }
      guard !name.isEmpty, rest[name.endIndex...].first == "}" else {
        pieces.append(.text(rest[..<inside.startIndex]))
        rest = inside
        continue
      }
      pieces += [.text(rest[..<open]), .name(String(name))]
      rest = rest[name.endIndex...].dropFirst()
    }
    self.pieces = pieces + [.text(rest)]
  }

  /// The names in it.
  var names: [String] {
    pieces.compactMap { if case .name(let name) = $0 { name } else { nil } }
  }

  /// The word with values in the place of their names, and with the names that have none.
  func filled(with values: [String: FilePath]) -> FilePath {
    FilePath(
      bytes: pieces.flatMap { piece -> Bytes in
        switch piece {
        case .text(let text): Bytes(text.utf8)
        case .name(let name): Bytes(values[name]?.bytes ?? Array("{\(name)}".utf8))
        }
      })
  }
}

extension Playbook.Step {
  /// The command as it would be typed.
  var commandLine: String {
    (command ?? []).map { FilePath($0).shellQuoted }.joined(separator: " ")
  }

  /// The words of the command, with the values of parameters, and on a database where one is given.
  func words(
    _ parameters: [String: PlaybookFacts.Value], on database: FilePath? = nil
  ) -> [FilePath] {
    var values = parameters.mapValues { FilePath($0.plain) }
    values[CommandWord.database] = database
    return (command ?? []).map { CommandWord($0).filled(with: values) }
  }

  /// The step with the values of parameters in its command, for people.
  func shown(with parameters: [String: PlaybookFacts.Value]) -> Playbook.Step {
    var step = self
    step.command = command.map { _ in words(parameters).map(\.description) }
    return step
  }
}
