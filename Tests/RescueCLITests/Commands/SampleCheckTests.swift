// SPDX-License-Identifier: Apache-2.0
// `check` and `diagnose` over every sample: the verdict of the table, and nothing is touched.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

/// A row of the table in `samples/README.md`.
struct SampleRow: Sendable, CustomStringConvertible {
  let name: String
  let verdict: String
  let status: Int32
  var description: String { name }

  static let all: [SampleRow] = {
    guard let bytes = try? Checkout.samples.appending("README.md").contents() else { return [] }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return lines.filter { $0.hasPrefix("| `") }.compactMap { line in
      let cells = line.split(separator: "|").map { $0.filter { $0 != "`" && $0 != " " } }
      guard cells.count == 4, let status = Int32(cells[3]) else { return nil }
      return SampleRow(name: cells[0], verdict: cells[2], status: status)
    }
  }()
}

@Suite struct SampleCheckTests {
  @Test func `the table is read`() {
    #expect(Set(SampleRow.all.map(\.status)) == [0, 10, 11, 12, 13, 14, 15])
    #expect(SampleRow.all.count > 25)
  }

  @Test(arguments: SampleRow.all)
  func `a check ends in the verdict of the table and touches nothing`(_ row: SampleRow) throws {
    let bench = try Workbench()
    let file = try bench.place(FilePath(row.name))
    let before = try bench.look()
    let text = try bench.run("check", file, "--contract", bench.contract)
    let json = try bench.run("check", file, "--contract", bench.contract, "--json")
    #expect(try before.changes(until: bench.look()) == [])
    #expect(text.status == row.status, "\(text.all)")
    #expect(json.status == row.status)
    #expect(text.output.hasPrefix("\(file.name): \(row.verdict) — "))
    #expect(try json.json["verdict"]?.text == row.verdict)
    #expect(try json.json["exit"]?.number == Int(row.status))
    #expect(try json.json["losesRows"]?.bool == (json.status >= 14))
    if json.status != 0 { #expect(try !#require(json.json["findings"]?.elements).isEmpty) }
  }

  @Test func `a database whose beginning is missing starts before the file`() throws {
    let bench = try Workbench()
    let file = try bench.place("healthy-v4.db")
    try file.replaceContents(with: Bytes(file.contents().dropFirst(57)))
    for command in ["check", "diagnose"] {
      let answer = try bench.run(command, file, "--json").json
      #expect(answer["facts"]?["start"]?.number == -57)
    }
  }

  @Test(arguments: SampleRow.all)
  func `a diagnosis agrees, offers something and touches nothing`(_ row: SampleRow) throws {
    let bench = try Workbench()
    let file = try bench.place(FilePath(row.name))
    let before = try bench.look()
    let ending = try bench.run("diagnose", file, "--contract", bench.contract)
    #expect(try before.changes(until: bench.look()) == [])
    #expect(ending.status == row.status, "\(ending.all)")
    #expect(
      ending.output.contains("next: ") || ending.output.contains("nothing is wrong")
        || ending.output.contains("the database is sound with its -wal and -journal")
        || ending.output.contains("install that app") || ending.output.contains("option"))
    let inputs = try #require(ending.record).inputs
    #expect(!inputs.isEmpty)
    #expect(inputs.allSatisfy { $0.before != nil && $0.before == $0.after })
  }

  @Test(arguments: [
    ("empty.db", "empty file", "DBR-F001"), ("zeros.db", "zeros", ""),
    ("not-a-database.jpg", "JPEG", ""), ("error-page.db", "HTML", ""),
    ("lfs-pointer.db", "Git LFS", ""), ("lost-database.db-wal", "write-ahead log", ""),
    ("encrypted.db", "encrypted", ""),
  ])
  func `what is no database is named`(_ sample: String, _ kind: String, _ code: String) throws {
    let bench = try Workbench()
    let ending = try bench.run("check", bench.place(FilePath(sample)), "--json")
    #expect(ending.status == 15)
    let json = try ending.json
    #expect(try #require(json["facts"]?["kind"]?.text).contains(kind))
    let finding = try #require(json["findings"]?.elements.first)
    #expect(finding["code"]?.text?.hasPrefix("DBR-F") == true)
    if !code.isEmpty { #expect(finding["code"]?.text == code) }
  }

  @Test func `a megabyte of zeros is named too`() throws {
    let bench = try Workbench()
    try bench["big.db"].replaceContents(with: .init(repeating: 0, count: 1 << 20))
    let ending = try bench.run("check", bench["big.db"], "--json")
    #expect(ending.status == 15)
    #expect(try ending.json["facts"]?["kind"]?.text?.contains("zeros") == true)
  }

  @Test func `journals under other names are found when they are named`() throws {
    let bench = try Workbench()
    let file = try bench.place("wal/fitness.db")
    let wal = file.adding(suffix: "-wal")
    let saved = bench["saved.wal"]
    try saved.replaceContents(with: wal.contents())
    try SystemStorage().remove(wal)
    func sets(_ words: any Word...) throws -> Int? {
      let tables = try bench.run(["check", "--json", file] + words).json["tables"]?.elements ?? []
      return tables.first { $0["table"]?.text == "sets" }?["readable"]?.number
    }
    let without = try #require(try sets())
    let with = try #require(try sets("--wal", saved))
    #expect(with == without + 20)
    #expect(try bench.run("check", file, "--wal", bench["no.wal"]).status == 66)
  }
}
