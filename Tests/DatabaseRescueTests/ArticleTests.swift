// SPDX-License-Identifier: Apache-2.0
// The articles about the library show compiled code and nothing else, and leave no call out.

import DatabaseRescue
import Diagnosis
import FitnessLog
import Guide
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@Suite struct ArticleTests {
  private static let library = Checkout.root.appending("Sources/DatabaseRescue")
  private static let catalogue = library.appending("DatabaseRescue.docc")

  private static func text(_ path: FilePath) throws -> String {
    String(decoding: try path.contents(), as: UTF8.self)
  }

  private static func files(in folder: FilePath, _ suffix: String) throws -> [FilePath] {
    try SystemStorage().names(in: folder).filter { $0.hasSuffix(suffix) }
      .map { folder.appending($0) }
  }

  private static var articles: [FilePath] {
    get throws { try files(in: catalogue, ".md") }
  }

  /// What is too much in one list, or too often, and what it lacks of another.
  private static func differences(_ found: [String], _ wanted: [String]) -> [String] {
    found.sorted().difference(from: wanted.sorted()).map { change in
      switch change {
      case .insert(_, let text, _): "too much: \(text)"
      case .remove(_, let text, _): "missing: \(text)"
      }
    }
  }

  /// The lines between marks, each piece without what all of its lines are indented by.
  private static func pieces(
    of text: String, from begin: String, to end: String
  ) -> [String] {
    var pieces: [String] = []
    var piece: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.drop { $0 == " " }
      if let lines = piece, words == end {
        let margin = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        pieces.append(lines.map { $0.dropFirst(margin) }.joined(separator: "\n"))
        piece = nil
      } else if piece != nil {
        piece?.append(line)
      } else if words == begin {
        piece = []
      }
    }
    return pieces
  }

  @Test func `the Swift code of the articles is that of the guide, piece for piece`() throws {
    let compiled = try Self.files(in: Checkout.samples.appending("Guide"), ".swift").flatMap {
      Self.pieces(of: try Self.text($0), from: "// snippet", to: "// end")
    }
    let pages = try Self.articles + [Checkout.root.appending("docs/app-author.md")]
    let shown = try pages.flatMap {
      Self.pieces(of: try Self.text($0), from: "```swift", to: "```")
    }
    #expect(compiled.count > 15)
    #expect(Self.differences(shown, compiled) == [])
  }

  @Test func `every call of the library is a topic of one article`() throws {
    let page = try Self.text(Self.library.appending("DatabaseRescue.swift"))
    let calls = page.matches(of: /public func (\w+)\(/).map { String($0.output.1) }
    #expect(calls.count > 10)
    let topics = try Self.articles.flatMap { article in
      try Self.text(article).matches(of: /\n- ``Rescue\/(\w+)\(/).map { String($0.output.1) }
    }
    #expect(Self.differences(topics, calls) == [])
  }

  private static func sources(in folder: FilePath) throws -> [FilePath] {
    try SystemStorage().names(in: folder).flatMap { name in
      let path = folder.appending(name)
      if name.hasSuffix(".swift") { return [path] }
      let isFolder = try SystemStorage().status(of: path)?.kind == .folder
      return isFolder && path != catalogue ? try sources(in: path) : []
    }
  }

  @Test func `every public type is a topic of one article`() throws {
    let sources = Checkout.root.appending("Sources")
    let types = try ["DatabaseRescue", "Diagnosis", "SQLiteFormat"].flatMap {
      try Self.sources(in: sources.appending($0))
    }.flatMap { file in
      try Self.text(file).matches(of: /\npublic (?:struct|enum|final class|protocol) (\w+)/)
        .map { String($0.output.1) }
    }
    #expect(types.count > 50)
    let topics = try Self.articles.flatMap { article in
      try Self.text(article).matches(of: /\n- ``(?:\/\w+\/)?(\w+)``/).map {
        String($0.output.1)
      }
    }
    #expect(Self.differences(topics, types) == [])
  }

  @Test func `the first page leads to every article`() throws {
    let first = try Self.text(Self.catalogue.appending("DatabaseRescue.md"))
    for article in try Self.articles where try !Self.text(article).hasPrefix("# ``") {
      let isLinked = first.contains("- <doc:\(article.name.description.dropLast(3))>")
      #expect(isLinked, "\(article)")
    }
  }

  @Test func `the steps of the tutorial are all shown, and the last one is the sample`() throws {
    let resources = Self.catalogue.appending("Resources")
    let steps = try SystemStorage().names(in: resources).filter { !$0.hasSuffix(".svg") }
    let files = try steps.sorted { "\($0)" < "\($1)" }.map {
      try Self.files(in: resources.appending($0), ".swift").map(\.name.description).sorted()
    }
    let tutorial = try Self.text(
      Self.catalogue.appending("Tutorials/Starting-an-App.tutorial"))
    let shown = tutorial.matches(of: /[ (]file: "([^"]*)"/).map { String($0.output.1) }
    #expect(Self.differences(shown, files.flatMap(\.self)) == [])
    let sample = Checkout.samples.appending("AppStart")
    #expect(
      try files.last == Self.files(in: sample, ".swift").map(\.name.description).sorted())
    for file in try Self.files(in: sample, ".swift") {
      let last = resources.appending(FilePath("step-\(files.count)")).appending(file.name)
      let isSame = try last.contents() == file.contents()
      #expect(isSame, "\(file)")
    }
  }

  /// An app beside its scratch folder, and what it has shown.
  private final class Shown: Sendable {
    private let all = Mutex<[String]>([])
    func add(_ line: String) { all.withLock { $0.append(line) } }
    var lines: [String] { all.withLock(\.self) }
  }

  @Test func `the guide does what the articles say`() async throws {
    let scratch = try ScratchFolder()
    let database = scratch["fitness.db"]
    let good = scratch["good.db"]
    let shown = Shown()
    let rescue = Guide.rescue(
      loggingTo: scratch["runs.jsonl"], isStopWished: { false }, show: { _ in })
    let script = Checkout.samples.appending("fitness-log-v4.sql")
    let guide = Guide(
      database, contract: try ContractSource.load(script), rescue: rescue, show: shown.add)

    try FitnessLog.create(database, version: 3, workouts: 12)
    try FitnessLog.create(good, version: 4, workouts: 12)
    #expect(try guide.contract(of: good).userVersion == 4)
    #expect(try guide.message(isBackedUp: false)?.title.isEmpty == false)
    guide.tell(try await guide.open(script) { try FitnessLog.migrate($0) })
    #expect(shown.lines.last == "home over \(database)")
    guard case .ready = await guide.openInGerman(migrate: { _ in }) else {
      Issue.record("not ready")
      return
    }
    #expect(shown.lines.contains { $0.hasPrefix("Ihre Daten") })
    try guide.check()
    try guide.diagnose()
    #expect(try guide.message(isBackedUp: true) == nil)

    let backup = try guide.backUp()
    #expect(try guide.newestBackup()?.path == backup.path)
    try guide.restore(backup, to: scratch["restored.db"])
    try guide.salvage(to: scratch["salvaged.db"], backup)
    #expect(shown.lines.last == "no row is missing")
    try guide.merge(scratch["restored.db"], good, to: scratch["merged.db"])
    #expect(try guide.guardMigration(command: ["/bin/true"]))

    // Damage, the way back from it, and the way back from that.
    var bytes = try database.contents()
    for index in 8192..<12288 { bytes[index] = 0 }
    try database.replaceContents(with: bytes)
    let code = try guide.recover()
    #expect(shown.lines.contains { $0.hasPrefix("read the backup ") })
    #expect(try guide.message(isBackedUp: true) == nil)
    try guide.undo(code)
    #expect(try guide.message(isBackedUp: true) != nil)
    guide.tell(try await guide.choose(.restore(backup)) { _ in })
    #expect(shown.lines.last == "home over \(database)")

    #expect(guide.backUpOrTell(scratch["nowhere.db"]) == nil)
    #expect(shown.lines.last?.hasPrefix("support code DBR-") == true)
    #expect(guide.code(typed: code.description.lowercased()) == code)
    #expect(guide.code(typed: "DBR-00000") == nil)
  }

  @Test func `the guide migrates by files of SQL, and rehearses them`() throws {
    let scratch = try ScratchFolder()
    let (database, folder) = (scratch["app.db"], scratch["migrations"])
    let script = scratch["app.sql"]
    try SystemStorage().createFolder(folder)
    let first = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);\n"
    let second = "ALTER TABLE t ADD COLUMN b TEXT;\n"
    try folder.appending("0001_first.sql").replaceContents(with: Bytes(first.utf8))
    try folder.appending("0002_second.sql").replaceContents(with: Bytes(second.utf8))
    try script.replaceContents(with: Bytes((first + second + "PRAGMA user_version = 2;").utf8))
    try DatabaseBuilder(["\(first)", "INSERT INTO t VALUES (1, 'x')", "PRAGMA user_version = 1"])
      .build(at: database)
    let shown = Shown()
    let guide = Guide(
      database, contract: try ContractSource.load(script),
      rescue: Guide.rescue(
        loggingTo: scratch["runs.jsonl"], isStopWished: { false }, show: { _ in }),
      show: shown.add)
    #expect(try guide.rehearse(folder, from: []), "\(shown.lines)")
    #expect(try guide.migrate(with: folder) == 2, "\(shown.lines)")
    #expect(shown.lines.contains("0002_second.sql"))
  }
}
