// SPDX-License-Identifier: Apache-2.0
// The comparison of tables tells apart what it has to, and the runner says how a process ended.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct OracleTests {
  static let pairs: [(Value, Value)] = [
    (.real(0.0), .real(-0.0)), (.integer(1), .real(1)), (.text("x"), .blob(Bytes("x".utf8))),
    (.null, .text("")), (.text("a"), .text("a\0")), (.integer(0), .null),
  ]

  @Test(arguments: pairs)
  func `values that are not the same are told apart`(_ one: Value, _ other: Value) throws {
    let expected = [ExactRow(rowID: 1, [one]), ExactRow(rowID: 2, [.null])]
    let actual = [ExactRow(rowID: 1, [other]), ExactRow(rowID: 2, [.null])]
    let message = try #require(firstDifference(expected: expected, actual: actual))
    #expect(message.contains("differ in column 0"))
    let bare = firstDifference(expected: [ExactRow([one])], actual: [ExactRow([other])])
    #expect(bare != nil)
  }

  @Test func `a missing and an extra row are named`() {
    let rows = (1...5).map { ExactRow(rowID: $0, [.integer($0)]) }
    let less = rows.filter { $0.rowID != 3 }
    #expect(firstDifference(expected: rows, actual: less)?.contains("missing rowid 3") == true)
    #expect(firstDifference(expected: less, actual: rows)?.contains("not expected rowid 3") == true)
    let last = firstDifference(expected: rows, actual: rows.dropLast())
    #expect(last?.contains("missing rowid 5") == true)
    #expect(firstDifference(expected: rows, actual: rows.reversed()) == nil)
  }
}

@Suite struct SharedDataTests {
  @Test(
    .enabled(
      if: SharedData.file("chinook.sqlite") != nil, "\(SharedData.missing("chinook.sqlite"))"))
  func `a real database can be read row by row`() throws {
    let oracle = try Oracle(try #require(SharedData.file("chinook.sqlite")))
    #expect(try oracle.integrityErrors == [])
    #expect(try oracle.tables.reduce(0) { try $0 + oracle.rows(of: $1).count } == 15_607)
  }

  @Test func `the checkout is found`() throws {
    #expect(try Checkout.root.appending("Package.swift").exists)
    #expect(SharedData.file("no such file") == nil)
  }
}

@Suite struct CommandTests {
  @Test func `output, errors and status come back`() throws {
    let outcome = try Command(
      "/bin/sh", ["-c", "cat; echo \"$NAME\" >&2; exit 7"], environment: ["NAME": "value"],
      input: Bytes("in".utf8)
    ).run()
    #expect(outcome.status == 7)
    #expect(outcome.text == "in")
    #expect(outcome.errorText == "value\n")
  }

  @Test func `a process that takes too long is ended with its children`() throws {
    let outcome = try Command("/bin/sh", ["-c", "echo start; sleep 60; echo end"])
      .run(limit: .milliseconds(200))
    #expect(outcome.end == .timedOut)
    #expect(outcome.text == "start\n")
  }

  @Test func `a killed process is told from one that exited`() throws {
    let running = try Command("/bin/sh", ["-c", "sleep 60"]).start()
    running.signal(9)
    #expect(try running.wait().end == .signalled(9))
  }

  @Test func `a program that is not there is an error`() {
    #expect(throws: StorageError.self) { try Command("/nowhere/program", []).run() }
  }
}
