// SPDX-License-Identifier: Apache-2.0
// A sound database compared with its backups by what their manifests say, as far as that tells: no
// page of a backup is inflated for what is the same in both.

import Diagnosis
import SQLiteFormat

/// A sound database whose tables are compared with what manifests of backups say of theirs.
///
/// Each table is described once, however many backups there are, and only where it is asked for.
final class ManifestComparison {
  private let reconstruction: Reconstruction
  private let image: Image
  private var described: [Name: BackupContent.Table] = [:]

  /// Prepares a comparison; nil for a database of which a manifest cannot tell enough: one that is
  /// not sound, or has virtual tables, whose rows lie in tables of other names.
  init?(_ reconstruction: Reconstruction) {
    let survey = reconstruction.survey
    guard let image = survey.image, survey.schema?.isWhole == true, survey.virtualTables.isEmpty,
      survey.trees.allSatisfy(\.isSound), !reconstruction.hasUnnamedRows
    else { return nil }
    (self.reconstruction, self.image) = (reconstruction, image)
  }

  /// Compares the database with a backup; nil where not all of it can be told so.
  ///
  /// - Throws: ``RescueError`` when the rows of the database cannot be read again.
  func comparison(
    with backup: Backup, reading pages: () throws(RescueError) -> any PageSource
  ) throws(RescueError) -> [RowComparison]? {
    guard backup.isGood, let content = backup.manifest?.content,
      !content.tables.contains(where: { $0.isShadow == true })
    else { return nil }
    let theirs = Dictionary(
      content.tables.filter { !$0.name.isReserved }.map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first })
    let mine = reconstruction.survey.userTables
    let statements = Set(content.schemaSQL)
    var other: Image?
    var compared: [RowComparison] = []
    for name in Set(mine.keys).union(theirs.keys).sorted() {
      guard let tree = mine[name] else {
        compared.append(RowComparison(table: name, onlyOther: theirs[name]?.rows ?? 0))
        continue
      }
      guard let table = theirs[name] else {
        compared.append(RowComparison(table: name, onlyCurrent: tree.records))
        continue
      }
      guard let sql = tree.entry.sql, statements.contains(sql) else { return nil }
      let own = try describe(name, tree)
      if let hash = own.contentHash, hash == table.contentHash {
        compared.append(RowComparison(table: name, same: own.rows))
        continue
      }
      if other == nil { other = try image(of: pages()) }
      guard let other, let leaves = LeafComparison(of: own, and: table),
        let found = reconstruction.compare(leaves, in: other)
      else { return nil }
      compared.append(found)
    }
    return compared
  }

  private func describe(
    _ name: Name, _ tree: TreeSurvey
  ) throws(RescueError) -> BackupContent.Table {
    if let known = described[name] { return known }
    let table = try BackupContent.Table(tree, in: reconstruction.survey)
    described[name] = table
    return table
  }

  /// The pages of a backup as a database; nil where it is cut otherwise than the current one, or has
  /// texts of another encoding.
  private func image(of pages: any PageSource) -> Image? {
    guard let bytes = try? pages.read(at: 0, count: DatabaseHeader.byteCount),
      let header = DatabaseHeader(bytes), header.geometry == image.geometry,
      header.encoding == image.header?.encoding
    else { return nil }
    return Image(FileSet(main: pages), geometry: image.geometry)
  }
}

extension LeafComparison {
  /// The comparison of two states of a table; nil where one does not list its leaves.
  fileprivate init?(of mine: BackupContent.Table, and theirs: BackupContent.Table) {
    guard let own = mine.leafPages?.leaves, let others = theirs.leafPages?.leaves else {
      return nil
    }
    self.init(
      of: mine.name, current: own.map(\.page), other: others.map(\.page),
      shared: Set(Set(own).intersection(others).map(\.page)))
  }
}
