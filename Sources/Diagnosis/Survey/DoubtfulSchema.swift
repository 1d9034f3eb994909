// SPDX-License-Identifier: Apache-2.0
// Rows of the schema table on a page whose header is gone: the page does not tell whether they are
// in use, but their trees can.

import SQLiteFormat

/// Rows of the schema table of which nothing in its pages proves that they are in use.
///
/// One that was dropped gave its pages back: its root is in the list of free pages, or is another
/// table's by now. Where the root is neither, is sound, and has rows of the form that the statement
/// declares, the row is in use.
struct DoubtfulSchema {
  private let image: Image
  private let entries: [SchemaEntry]
  private let parser: any SchemaParsing

  /// Takes the rows of a schema that is in this encoding.
  init(
    _ image: Image, _ rows: [StoredRecord], _ encoding: TextEncoding, _ parser: any SchemaParsing
  ) {
    (self.image, self.parser) = (image, parser)
    entries =
      image.hasPageNumbers
      ? rows.filter(\.record.isOfSchema).compactMap { SchemaEntry($0.record, encoding: encoding) }
      : []
  }

  /// The tables and indexes that their trees prove to be in use.
  func borneOut(besides others: [SchemaEntry]) -> [SchemaEntry] {
    guard !entries.isEmpty else { return [] }
    let known = Set(others.map(\.key))
    var claims: [PageNumber: Int] = [:]
    for root in (entries + others).compactMap(\.root) { claims[root, default: 0] += 1 }
    // Whether or not a header leads there.
    let free = Set(
      image.possibleTrunks(among: image.dataPages).flatMap { $0.leaves + [$0.trunk] })
    let candidates = entries.filter { entry in
      guard let root = entry.root else { return false }
      return claims[root] == 1 && !free.contains(root) && !known.contains(entry.key)
    }
    guard Set(candidates.map(\.key)).count == candidates.count else { return [] }
    let schema = parser.parse(others + candidates)
    return candidates.filter { image.hasSoundRoot($0) && schema.isBorneOut($0, in: image) }
  }
}

extension ParsedSchema {
  /// Whether the tree of an entry has rows of the form that is declared.
  func isBorneOut(_ entry: SchemaEntry, in image: Image) -> Bool {
    guard let table = table(named: entry.table), let number = entry.root,
      let root = try? image.btreePage(number)
    else { return false }
    let isIndex = entry.kind == .index
    guard root.kind.isTable == !(isIndex || table.withoutRowID) else { return false }
    let form: RecordForm
    if isIndex {
      guard let index = index(named: entry.name, of: table.name) else { return false }
      form = RecordForm(index, over: table)
    } else {
      form = RecordForm(table)
    }
    return form.isBorneOut(by: root, in: image, isOfIndex: isIndex) ?? false
  }
}

extension Image {
  /// Whether nothing is wrong with the root of an entry.
  fileprivate func hasSoundRoot(_ entry: SchemaEntry) -> Bool {
    entry.root.flatMap { try? btreePage($0) }?.soundCells != nil
  }
}
