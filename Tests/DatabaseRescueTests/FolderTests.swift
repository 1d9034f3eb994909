// SPDX-License-Identifier: Apache-2.0
// No folder of the sources depends on one that depends on it.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Which folder needs which of the same target, and the names for which it does.
private struct FolderGraph {
  /// Members of values that the standard library has as well.
  private static let foreign: Set = ["split", "load", "description"]

  /// What is declared, by its name.
  private let declared: [String: [NamedSource.Declaration]]
  /// The names of values in bodies.
  private let locals: Set<String>
  private var needs: [String: [String: Set<String>]] = [:]

  init(_ sources: [NamedSource]) {
    declared = Dictionary(grouping: Set(sources.flatMap(\.declarations)), by: \.name)
    locals = Set(sources.flatMap(\.locals))
    for source in sources {
      for use in source.uses {
        // A name that may be declared in two folders does not tell which is meant.
        let homes = Set(declarations(of: use, in: source).map(\.folder))
        // Everybody may call what stands on the page of a whole target.
        guard homes.count == 1, let home = homes.first, home != source.folder,
          home.contains("/"), Self.target(of: home) == Self.target(of: source.folder)
        else { continue }
        needs[source.folder, default: [:]][home, default: []].insert(use.name)
      }
    }
  }

  private static func target(of folder: String) -> Substring { folder.prefix { $0 != "/" } }

  /// What a name can stand for.
  private func declarations(
    of use: NamedSource.Use, in source: NamedSource
  ) -> [NamedSource.Declaration] {
    guard let all = declared[use.name]?.filter({ !$0.isPrivate || $0.folder == source.folder })
    else { return [] }
    switch use.place {
    case .within(let types) where use.isType:
      let type = use.name.split(separator: "(").first.map(String.init)
      let isNested =
        declared[type ?? ""]?.contains { $0.type.map(types.contains) ?? false } ?? false
      return isNested ? [] : all.filter { $0.name != type || $0.type == nil }
    case .within(let types):
      return source.locals.contains(use.name) ? [] : members(among: all, of: types)
    case .behind(let value):
      // Values are mostly named after their type, where it is no nested one.
      let type = value.prefix(1).uppercased() + value.dropFirst()
      let guess = declared[type]?.first?.type == nil ? [type] : []
      let members = members(among: all, of: source.types[value].map(Array.init) ?? guess)
      return members.isEmpty && value != type ? onlyOnes(of: all.filter { !$0.isStatic }) : members
    case .behindOther:
      return onlyOnes(of: all)
    }
  }

  /// Those that are members of one of these types, as far as no other type has its name.
  private func members(
    among all: [NamedSource.Declaration], of types: some Collection<String>
  ) -> [NamedSource.Declaration] {
    all.filter { declaration in
      guard let type = declaration.type, types.contains(type) else { return false }
      return (declared[type]?.count ?? 0) < 2
    }
  }

  /// All of these, which have one name, where an extension adds each, and no other value has the name.
  private func onlyOnes(of all: [NamedSource.Declaration]) -> [NamedSource.Declaration] {
    all.allSatisfy { $0.isAdded && !locals.contains($0.name) && !Self.foreign.contains($0.name) }
      ? all : []
  }

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
    let reached = Dictionary(uniqueKeysWithValues: needs.keys.map { ($0, reach(of: $0)) })
    return needs.flatMap { folder, others in
      others.filter { reached[$0.key]?.contains(folder) ?? false }.map { other, names in
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
        try NamedSource(
          root.appending(FilePath(path)).contents(),
          in: path.split(separator: "/").dropLast().joined(separator: "/"))
      }
    #expect(sources.count > 500)
    #expect(FolderGraph(sources).circles == [])
  }

  /// What a file below can need of one above it, although another folder declares `isOpen` as well.
  @Test(arguments: [
    "extension Box {\n  var isShut: Bool { !isOpen }\n}",
    "func shut(_ box: Box) -> Bool { !box.isOpen }",
    "func fold() -> Box { Box(paper: 1) }", "func cover() -> Lid? { nil }",
    "func find() -> Box? { Box(string: 2) }",
  ])
  func `a circle is seen by what stands before a name`(_ use: String) {
    let sources = [
      ("T/Low", "struct Box {\n  let size = 1\n}\n\(use)"),
      (
        "T/High",
        "struct Lid {}\nextension Box {\n  var isOpen: Bool { true }\n  init(paper: Int) {}\n"
          + "  init?(string: Int) {}\n}"
      ),
      ("T/Other", "struct Door {\n  var isOpen = true\n}\nenum Cargo {\n  case sent(Box)\n}"),
    ].map { NamedSource(Bytes($1.utf8), in: $0) }
    #expect(FolderGraph(sources).circles.count == 2)
    #expect(FolderGraph(Array(sources.dropFirst())).circles.isEmpty)
  }
}
