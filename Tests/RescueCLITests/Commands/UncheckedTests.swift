// SPDX-License-Identifier: Apache-2.0
// What could not be checked is said by every command, and a verdict goes only as far.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct UncheckedTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private func build(_ steps: [DatabaseBuilder.Step]) throws -> FilePath {
    let file = bench["app.db"]
    try DatabaseBuilder(
      ["CREATE TABLE t (a, b)", "INSERT INTO t VALUES (1, 'x'), (2, 'y')"] + steps
    ).build(at: file)
    return file
  }

  /// Puts the app's own name in the place of one that SQLite knows.
  private func rename(_ file: FilePath, _ known: String, to app: String) throws {
    var bytes = try file.contents()
    let (old, new) = (Bytes(known.utf8), Bytes(app.utf8))
    var start = 0
    while start + old.count <= bytes.count {
      if bytes.matches(old, at: start) {
        bytes.replaceSubrange(start..<(start + old.count), with: new)
      }
      start += 1
    }
    try file.replaceContents(with: bytes)
  }

  static let things: [(sql: String, known: String, app: String, subject: String)] = [
    ("CREATE INDEX i ON t (abs(a))", "abs(", "app(", "keys"),
    ("CREATE INDEX i ON t (b COLLATE NOCASE)", "NOCASE", "APPONE", "order"),
    (
      "CREATE TABLE c (x CHECK (abs(x) > 0)); INSERT INTO c VALUES (1)", "abs(", "app(",
      "constraints"
    ),
    ("CREATE VIRTUAL TABLE f USING fts5 (x)", "fts5 (x)", "app5 (x)", "virtual-table"),
    (
      "CREATE VIRTUAL TABLE f USING fts5 (x, tokenize=porter)", "porter", "apptok",
      "virtual-table"
    ),
  ]

  @Test(arguments: things.indices)
  func `what only the app has is not checked, and every command says so`(_ place: Int) throws {
    let thing = Self.things[place]
    let file = try build([DatabaseBuilder.Step(stringLiteral: thing.sql)])
    try rename(file, thing.known, to: thing.app)
    let commands: [[any Word]] = [
      ["check", file], ["diagnose", file], ["backup", file, "--vault", bench["vault"]],
      ["guard", file, "--vault", bench["vault"], "--", "true"],
      ["salvage", file, "--output", bench["new.db"]],
    ]
    for command in commands {
      let ending = try bench.run(command)
      let isAboutIndex = command[0].bytes == "salvage".bytes && thing.subject == "keys"
      guard !isAboutIndex else { continue }
      #expect(ending.all.contains("not checked"), "\(command[0]): \(ending.all)")
    }
    for command in ["check", "diagnose"] {
      let ending = try bench.run(command, file, "--json")
      #expect(ending.status == 0, "\(ending.all)")
      let isListed = ending.output.contains("\"subject\"") && ending.output.contains(thing.subject)
      #expect(isListed, "\(ending.output)")
      #expect(try bench.run(command, file).output.contains("as far as it was checked"))
    }
    let page = bench["report.html"]
    _ = try bench.run("diagnose", file, "--report", page)
    let html = String(decoding: try page.contents(), as: UTF8.self)
    #expect(html.contains("1 thing was not checked"))
  }

  @Test func `a database of which all was checked has no such list`() throws {
    let file = try build([])
    for command in ["check", "diagnose"] {
      #expect(try !bench.run(command, file).all.contains("not checked"))
      #expect(try !bench.run(command, file).all.contains("as far as"))
    }
  }
}
