// SPDX-License-Identifier: Apache-2.0
// What an index says of rows: it knows them, denies them, or is silent.

@testable import Diagnosis
import SQLiteFormat
import Testing

@Suite struct WitnessTests {
  private let index = IndexShape(name: "i", fields: [.stored(0, default: .null), .rowID])

  /// A row with a number.
  private func row(_ rowID: Int64, _ number: UInt8) throws -> StoredRecord {
    StoredRecord(
      rowID: rowID, record: try Record([2, 1, number], in: 0..<3), page: .first, offset: 0)
  }

  /// The witness of an index with the entries of some rows.
  private func witness(
    _ rows: [StoredRecord], isWhole: Bool, starts: [UInt64], asked: RowIDSet? = nil
  ) throws -> Witness {
    var account = Witness.Account()
    for (row, start) in zip(rows, starts) {
      account.count(start: start)
      account.keep(index.key(of: row).digest, rowID: row.rowID, on: nil)
    }
    return try #require(Witness(index, isWhole: isWhole, account, asked: asked))
  }

  @Test func `an index knows its entries and denies others of the same rowid`() throws {
    let witness = try witness([row(1, 10), row(2, 20)], isWhole: false, starts: [1, 2])
    #expect(witness.testimony(on: try row(1, 10)) == .knows)
    #expect(witness.testimony(on: try row(1, 11)) == .denies)
    #expect(witness.testimony(on: try row(3, 30)) == .silent)
  }

  @Test func `what a whole index does not know is not there`() throws {
    let witness = try witness([row(1, 10)], isWhole: true, starts: [1])
    #expect(witness.testimony(on: try row(3, 30)) == .denies)
  }

  @Test func `rows that nobody asked about are known`() throws {
    let witness = try witness(
      [row(1, 10)], isWhole: true, starts: [1], asked: RowIDSet([1, 2]))
    #expect(witness.testimony(on: try row(3, 30)) == .knows)
    #expect(witness.testimony(on: try row(2, 30)) == .denies)
  }

  @Test func `an index on a flag echoes rows and does not tell them apart`() throws {
    let rows = try (1...9).map { try row($0, 1) }
    let flag = try witness(rows, isWhole: true, starts: Array(repeating: 7, count: 9))
    #expect(!flag.isTelling)
    let testimony = [flag].testimony(on: rows[0])
    #expect(testimony.isEchoed)
    #expect(!testimony.isKnown)
    #expect([flag].testimony(on: try row(1, 2)).isDenied)
  }

  @Test func `a page of entries that most rows contradict speaks for none of them`() throws {
    var account = Witness.Account()
    // Entries on page 2 are those of these rows but one; on page 3, two are so by chance.
    let rows = try (1...6).map { try row($0, UInt8($0)) }
    for (page, numbers) in [(2, [1, 2, 3, 9, 5, 6]), (3, [1, 2, 9, 9, 9, 9])] {
      for (row, number) in zip(rows, numbers) {
        let entry = try self.row(try #require(row.rowID), UInt8(number))
        account.count(start: UInt64(number))
        account.keep(index.key(of: entry).digest, rowID: entry.rowID, on: PageNumber(page))
      }
    }
    let witness = try #require(Witness(index, isWhole: false, account, asked: nil))
    #expect(witness.testimony(on: rows[0]) == .silent)
    let asked = [witness].asked(about: rows)[0]
    #expect(asked.testimony(on: rows[0]) == .supposes)
    #expect(asked.testimony(on: rows[3]) == .denies)
    // Two indexes of which the page may be do not deny.
    let unsure = [witness, witness].asked(about: rows)[0]
    #expect(unsure.testimony(on: rows[0]) == .supposes)
    #expect(unsure.testimony(on: rows[3]) == .silent)
    let others = try rows.map { try row(try #require($0.rowID), 9) }
    #expect([witness].asked(about: others)[0].testimony(on: others[2]) == .supposes)
    #expect([witness].asked(about: others.prefix(2))[0].testimony(on: others[0]) == .silent)
  }

  @Test func `entries of nothing but NULL on a page of some index tell no rows apart`() throws {
    let rows = try (1...6).map { id in
      StoredRecord(rowID: id, record: try Record([2, 0], in: 0..<2), page: .first, offset: 0)
    }
    var account = Witness.Account()
    for (number, row) in rows.enumerated() {
      account.count(start: UInt64(number))
      account.keep(index.key(of: row).digest, rowID: row.rowID, on: PageNumber(2))
    }
    let witness = try #require(Witness(index, isWhole: false, account, asked: nil))
    let testimony = [witness].asked(about: rows).testimony(on: rows[0])
    #expect(testimony.isEchoed)
    #expect(!testimony.isKnown)
  }

  @Test func `an index without entries is no witness, unless it is whole`() throws {
    #expect(Witness(index, isWhole: false, Witness.Account(), asked: nil) == nil)
    let whole = try #require(Witness(index, isWhole: true, Witness.Account(), asked: nil))
    #expect(whole.testimony(on: try row(1, 10)) == .denies)
  }
}
