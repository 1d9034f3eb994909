// SPDX-License-Identifier: Apache-2.0
// What a manifest says about a database: counts, content hashes and leaf pages of every table.

import Diagnosis
import SQLiteFormat

extension BackupDescription {
  /// Describes a database; what has not changed since an earlier backup is taken from there.
  ///
  /// - Throws: ``RescueError`` when bytes cannot be read: that is no fact about the database.
  init(
    of pages: any PageSource, since earlier: EarlierBackup?, supportCode: SupportCode
  ) throws(RescueError) {
    if let earlier, earlier.changes.isEmpty {
      self.init(earlier.manifest.content, changedTables: [])
      content.supportCode = supportCode.description
    } else {
      let reconstruction: Reconstruction
      do {
        reconstruction = try Reconstruction(FileSet(main: pages), parser: SandboxParser())
      } catch {
        throw .interrupted
      }
      let changed = earlier.flatMap { ChangedTables(in: reconstruction, since: $0) }
      let known = changed.map { changed in
        earlier?.manifest.content.tables.filter { !changed.names.contains($0.name) } ?? []
      }
      self.init(
        try BackupContent(reconstruction, supportCode: supportCode, known: known ?? []),
        changedTables: changed?.names.sorted())
      if let failure = reconstruction.survey.failures.first {
        throw RescueError(notDescribed: failure)
      }
    }
  }
}

extension RescueError {
  /// The error of bytes that are about to be stored, and cannot be read when they are looked at.
  fileprivate init(notDescribed failure: ReadFailure) {
    self.init(
      .inputOutput,
      "what is being backed up cannot be read at byte \(failure.offset): \(failure.reason)",
      meaning: "no backup was made; the database is untouched",
      advice: "try again, and check the disk if it happens again")
  }
}

extension BackupContent {
  /// Describes a database that was read; of some tables everything is known.
  ///
  /// - Throws: ``RescueError`` when rows cannot be read.
  init(
    _ reconstruction: Reconstruction, supportCode: SupportCode, known: [Table] = []
  ) throws(RescueError) {
    let survey = reconstruction.survey
    let tables = survey.trees.filter { $0.entry.kind == .table }
    let shadows = survey.shadowTables
    let known = Dictionary(known.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let described = Parallel.map(tables.count) { index -> Result<Table, RescueError> in
      Result { () throws(RescueError) -> Table in
        let tree = tables[index]
        if let table = known[tree.entry.name] { return table }
        var table = try Table(tree, in: survey)
        if shadows.contains(tree.entry.name) { table.isShadow = true }
        return table
      }
    }
    self.init(
      pageSize: survey.geometry?.geometry.pageSize ?? 0,
      userVersion: survey.header?.userVersion ?? 0,
      applicationID: UInt32(bitPattern: survey.header?.applicationID ?? 0),
      journalMode: survey.header?.isWAL == true ? "wal" : "rollback",
      supportCode: supportCode.description,
      schemaSQL: survey.schema?.entries.compactMap(\.sql) ?? [],
      tables: try described.map { table throws(RescueError) in try table.get() },
      findings: reconstruction.findings.map { FoundThing($0) })
    sequences = survey.sequences
  }
}

/// The tables of a sound database that are not as they were in an earlier backup.
private struct ChangedTables {
  /// Their names: a table has changed when a page of it has, or one of its indexes.
  let names: Set<Name>

  /// Finds them; nil where more than the content of tables is different.
  init?(in reconstruction: Reconstruction, since earlier: EarlierBackup) {
    let survey = reconstruction.survey
    guard let image = survey.image, let size = survey.geometry?.geometry.pageSize,
      reconstruction.findings.allSatisfy({ $0.severity <= .notice }),
      earlier.manifest.content.isSound,
      survey.schema?.parsed.description.tables.allSatisfy({ $0.kind != .virtual }) == true,
      let first = try? image.bytes(of: .first),
      let old = try? earlier.pages.read(at: 0, count: size), old.count == size,
      Self.schemaFields.allSatisfy({ first[$0] == old[$0] }), first[100...] == old[100...]
    else { return nil }
    var names: Set<Name> = []
    var pages = Set(earlier.changes.ranges.flatMap { PageNumber.pages(of: $0, pageSize: size) })
    pages.remove(.first)
    for page in pages {
      guard let owner = survey.claims.owner(of: page) else { continue }
      if owner == .schema { return nil }
      if let position = owner.tree, survey.trees.indices.contains(position) {
        names.insert(survey.trees[position].entry.table)
      }
    }
    self.names = names
  }

  /// The fields of the file header that say how everything is to be read: page size and what goes
  /// with it, schema format, automatic vacuum, encoding.
  private static let schemaFields = [16..<24, 44..<60, 64..<68]
}

extension PageNumber {
  /// The pages that bytes of a database lie on.
  fileprivate static func pages(of bytes: Range<Int>, pageSize: Int) -> [PageNumber] {
    let last = (bytes.upperBound - 1) / pageSize
    return (bytes.lowerBound / pageSize...last).compactMap { PageNumber($0 + 1) }
  }
}
