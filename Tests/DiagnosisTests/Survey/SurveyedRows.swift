// SPDX-License-Identifier: Apache-2.0
// What our own reader makes of a database, in the form in which SQLite's answer comes.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Reconstruction {
  /// Surveys a database on disk with its journals, and puts it together.
  init(_ path: FilePath) throws { try self.init(Survey(path)) }

  /// Surveys bytes, and puts them together.
  init(main: Bytes, wal: Bytes? = nil, journal: Bytes? = nil) {
    self.init(Survey(main: main, wal: wal, journal: journal))
  }
}

extension Survey {
  /// Surveys a database on disk with its journals.
  init(_ path: FilePath) throws {
    let storage = SystemStorage()
    try self.init(
      InputFiles(path, storage: storage).open(in: World(storage: storage)),
      parser: SandboxParser())
  }

  /// Surveys bytes.
  init(main: Bytes, wal: Bytes? = nil, journal: Bytes? = nil) {
    self.init(MemorySource(main), wal: wal, journal: journal)
  }

  init(_ main: any PageSource, wal: Bytes? = nil, journal: Bytes? = nil) {
    let files = FileSet(
      main: main, wal: wal.map { MemorySource($0) },
      journal: journal.map { MemorySource($0) })
    do { try self.init(files, parser: SandboxParser()) } catch {
      preconditionFailure("nobody stops this survey")
    }
  }

  /// What the checks find once it is put together.
  var findings: [Finding] { Reconstruction(self).findings }

  /// The verdict over what the checks find.
  var verdict: Verdict { Verdict(isDatabase: image != nil, findings) }

  /// The findings that say more than what is worth knowing.
  var faults: [Finding] { findings.filter { $0.severity > .notice } }

  /// The rows of a table as SQLite would give them, of the columns that are stored, with those
  /// that lie in the wrong place, or only those that are in doubt.
  ///
  /// - Throws: ``UnfitFixture`` when the table has no tree or no shape.
  func rows(
    of table: String, inDoubt: Bool = false
  ) throws -> (columns: [String], rows: [ExactRow]) {
    guard let image, let tree = tree(named: Name(table)), let root = tree.root,
      let shape = schema?.shape(ofTable: Name(table))
    else {
      throw UnfitFixture("'\(table)' has no tree or no shape")
    }
    var rows: [ExactRow] = []
    var claims = PageClaims(pageCount: image.pageCount)
    var scan = TreeScan(image, root: root, isTable: tree.isRowIDTable, owner: .tree(0))
    try scan.run(&claims) { event in
      let found: StoredRecord? =
        switch event {
        case .record(let stored), .misplaced(let stored): inDoubt ? nil : stored
        case .doubtful(let stored, _): inDoubt ? stored : nil
        default: nil
        }
      if let found {
        rows.append(
          ExactRow(rowID: found.rowID, try shape.values(of: found.record, rowID: found.rowID)))
      }
      return true
    }
    return (shape.stored.map(\.name.text), rows)
  }

  /// The first difference between our rows and SQLite's, over all tables; nil when there is none.
  func firstDifference(from oracle: Oracle) throws -> String? {
    for table in try oracle.tables {
      let ours = try rows(of: table)
      let names = try oracle.columns(of: table)
      let places = ours.columns.compactMap { names.firstIndex(of: $0) }
      guard places.count == ours.columns.count else { return "\(table): columns \(ours.columns)" }
      let expected = try oracle.rows(of: table).map { row in
        ExactRow(rowID: row.rowID, places.map { row.values[$0] })
      }
      // Half a character at the end of UTF-16 text is kept by us; SQLite cuts it off as it reads.
      let known = ours.rows.map { row in
        ExactRow(
          rowID: row.rowID, row.values.map { encoding == .utf8 ? $0 : $0.withoutHalfCharacter })
      }
      // Where every name of the rowid is taken by a column, SQL cannot ask for it.
      let isNameless = expected.allSatisfy { $0.rowID == nil }
      let actual = isNameless ? known.map { ExactRow($0.values) } : known
      if let difference = RescueTestSupport.firstDifference(expected: expected, actual: actual) {
        return "\(table): \(difference)"
      }
    }
    let entries = try oracle.value("SELECT count(*) FROM sqlite_schema")
    guard entries == .integer(Int64(schema?.entries.count ?? -1)) else {
      return "sqlite_schema: \(schema?.entries.count ?? -1) entries"
    }
    return nil
  }
}

extension Value {
  fileprivate var withoutHalfCharacter: Value {
    guard case .text(let bytes) = self, bytes.count % 2 == 1 else { return self }
    return .text(Bytes(bytes.dropLast()))
  }
}
