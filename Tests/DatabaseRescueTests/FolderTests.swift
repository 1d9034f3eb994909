// SPDX-License-Identifier: Apache-2.0
// No folder of the sources depends on one that depends on it.

import DatabaseRescue
import RescueTestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The names that one file declares and uses: enough to see which folder needs which.
private struct NamedSource {
  /// The folder that the file lies in.
  let folder: String
  /// Its types, and what its extensions add to others.
  private(set) var offered: Set<String> = []
  /// Whatever else it declares, such as what is private or nested.
  private(set) var own: Set<String> = []
  /// The types that it names, and the members behind a dot.
  private(set) var used: Set<String> = []

  private static let types: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
  private static let values: Set = ["func", "var", "let", "case"]

  init(_ text: String, in folder: String) {
    self.folder = folder
    var isExtension = false
    for line in text.split(separator: "\n") {
      let words = Self.words(of: line)
      let isPrivate = words.contains { $0.name.hasSuffix("private") }
      let depth = line.prefix { $0 == " " }.count
      for (keyword, word) in zip(words, words.dropFirst()) {
        let isType = Self.types.contains(keyword.name)
        guard isType || Self.values.contains(keyword.name) else { continue }
        let isOffered = isType ? depth == 0 : depth == 2 && isExtension && keyword.name != "case"
        if isOffered, !isPrivate { offered.insert(word.name) } else { own.insert(word.name) }
      }
      if depth == 0, !words.isEmpty { isExtension = words.contains { $0.name == "extension" } }
      used.formUnion(words.filter { $0.isMember != $0.isType }.map(\.name))
    }
  }

  private struct Word {
    var name = ""
    var isMember = false
    var isType: Bool { name.first?.isUppercase == true }
  }

  /// The words of a line that are neither text nor comment.
  private static func words(of line: Substring) -> [Word] {
    var (words, word, last, isText): ([Word], Word, Character, Bool) = ([], Word(), " ", false)
    for character in line {
      if character == "\"", last != "\\" { isText.toggle() }
      if character == "/", last == "/", !isText { break }
      if !isText, character == "_" || character.isLetter || character.isNumber {
        if word.name.isEmpty { word.isMember = last == "." }
        word.name.append(character)
      } else if !word.name.isEmpty {
        words.append(word)
        word = Word()
      }
      last = character
    }
    return word.name.isEmpty ? words : words + [word]
  }
}

/// Which folder needs which of the same target, and the names for which it does.
private struct FolderGraph {
  /// Names that the standard library has as well.
  private static let foreign: Set = ["split"]

  private var needs: [String: [String: Set<String>]] = [:]

  init(_ sources: [NamedSource]) {
    // A name that is declared in two folders does not tell which is meant.
    var homes: [String: Set<String>] = [:]
    for source in sources {
      for name in source.offered.union(source.own) {
        homes[name, default: []].insert(source.folder)
      }
    }
    let offered = Set(sources.flatMap(\.offered)).subtracting(Self.foreign)
    for source in sources {
      for name in source.used where offered.contains(name) && homes[name]?.count == 1 {
        guard let home = homes[name]?.first, home != source.folder,
          Self.target(of: home) == Self.target(of: source.folder)
        else { continue }
        needs[source.folder, default: [:]][home, default: []].insert(name)
      }
    }
  }

  private static func target(of folder: String) -> Substring { folder.prefix { $0 != "/" } }

  /// The folders that a folder needs, by way of others or not.
  private func reach(of folder: String) -> Set<String> {
    var (reached, open): (Set<String>, [String]) = ([], [folder])
    while let next = open.popLast() {
      open += needs[next, default: [:]].keys.filter { reached.insert($0).inserted }
    }
    return reached
  }

  /// The dependencies that lead back, with their names.
  var circles: [String] {
    needs.flatMap { folder, others in
      others.filter { reach(of: $0.key).contains(folder) }.map { other, names in
        "\(folder) needs \(other) for \(names.sorted().joined(separator: ", "))"
      }
    }.sorted()
  }
}

@Suite struct FolderTests {
  @Test func `no folder depends on one that depends on it`() throws {
    let root = Checkout.root.appending("Sources")
    let sources = try FileManager.default.subpathsOfDirectory(atPath: "\(root)")
      .filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }
      .map { path in
        NamedSource(
          String(decoding: try root.appending(FilePath(path)).contents(), as: UTF8.self),
          in: path.split(separator: "/").dropLast().joined(separator: "/"))
      }
    #expect(sources.count > 500)
    #expect(FolderGraph(sources).circles == [])
  }
}
