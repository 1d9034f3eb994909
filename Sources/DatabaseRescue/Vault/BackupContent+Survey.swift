// SPDX-License-Identifier: Apache-2.0
// What a manifest says about a database: counts, content hashes and leaf pages of every table.

import Diagnosis
import SQLiteFormat

extension BackupContent {
  /// Describes the database that a survey has read.
  init(_ survey: Survey, supportCode: SupportCode) {
    let tables = survey.trees.filter { $0.entry.kind == .table }
    self.init(
      pageSize: survey.geometry?.geometry.pageSize ?? 0,
      userVersion: survey.header?.userVersion ?? 0,
      applicationID: UInt32(bitPattern: survey.header?.applicationID ?? 0),
      journalMode: survey.header?.isWAL == true ? "wal" : "rollback",
      supportCode: supportCode.description,
      schemaSQL: survey.schema?.entries.compactMap(\.sql) ?? [],
      tables: Parallel.map(tables.count) { Table(tables[$0], in: survey) },
      findings: survey.findings.map { FoundThing($0) })
  }
}

extension BackupContent.Table {
  /// Describes one table of a survey.
  ///
  /// The content hash is the SHA-256 over all rows in the order of their tree, each with its
  /// rowid and its columns as stored: it does not depend on pages.
  fileprivate init(_ tree: TreeSurvey, in survey: Survey) {
    guard let image = survey.image, let root = tree.root else {
      self.init(name: tree.entry.name, rows: 0)
      return
    }
    var leaves: [LeafPages.Leaf] = []
    var rows = RowDigest()
    var claims = PageClaims(pageCount: image.pageCount)
    var scan = TreeScan(
      image, root: root, isTable: tree.isRowIDTable, owner: Survey.firstTreeOwner)
    scan.run(&claims) { event in
      switch event {
      case .page(let visit) where visit.page.kind.isLeaf:
        leaves.append(LeafPages.Leaf(visit.page.number, bytes: visit.page.bytes))
      case .record(let stored):
        rows.append(stored)
      default: break
      }
      return true
    }
    self.init(
      name: tree.entry.name, rows: tree.records, contentHash: rows.digest.description,
      leafPages: LeafPages(leaves))
  }
}

/// The digest of the rows of a table.
private struct RowDigest {
  private var hash = SHA256()
  private var pending = Bytes()

  /// The digest of all rows so far.
  var digest: Digest {
    var hash = hash
    hash.update(pending)
    return hash.digest()
  }

  /// Adds a row: rowid, number of fields, and every field with its serial type.
  mutating func append(_ stored: StoredRecord) {
    pending.appendNumber(UInt64(bitPattern: stored.rowID ?? 0))
    pending.appendNumber(UInt32(clamping: stored.record.fieldCount))
    for field in stored.record.fields {
      pending.appendNumber(UInt64(field.serialType))
      var pieces = stored.record.pieces(of: field)
      // A piece that cannot be read any more gives a digest that nothing will equal.
      while let piece = try? pieces.next() {
        pending.append(contentsOf: piece.bytes[piece.range])
        flush()
      }
    }
  }

  private mutating func flush() {
    guard pending.count >= 1 << 16 else { return }
    hash.update(pending)
    pending.removeAll(keepingCapacity: true)
  }
}
