// SPDX-License-Identifier: Apache-2.0
// Tables whose statements are damaged, with the statements that their rows bear out.

import SQLiteFormat

/// The tables of a schema whose statements SQLite refuses.
struct MendedSchema {
  /// How many bytes of statements are looked at.
  private static let byteCountMax = 8_000

  private let image: Image
  private let parser: any SchemaParsing

  /// Takes the pages of the tables, and who can parse statements.
  init(_ image: Image, _ parser: any SchemaParsing) {
    (self.image, self.parser) = (image, parser)
  }

  /// The tables among those that were refused of which a mended statement is accepted, and borne out
  /// by the rows.
  func tables(among entries: [SchemaEntry], refused: [RefusedStatement]) -> [SchemaEntry] {
    let refused = Set(refused.filter { $0.weight != .unchecked }.map(\.name))
    let damaged = entries.filter { $0.kind == .table && refused.contains($0.name) }
    guard Set(damaged.map(\.name)).count == damaged.count else { return [] }
    var rest = Self.byteCountMax
    let sound = entries.filter { $0.kind == .table && !refused.contains($0.name) }
    return damaged.compactMap { entry in
      rest -= entry.sql?.utf8.count ?? 0
      guard rest >= 0 else { return nil }
      let own = entries.filter { $0.kind == .index && $0.table == entry.name }
      guard image.hasSoundRoot(entry),
        let sql = StatementMender.mended(entry, besides: (own + sound).compactMap(\.sql))
      else { return nil }
      let mended = entry.with(root: entry.root, sql: sql)
      return parser.parse([mended]).isBorneOut(mended, in: image) ? mended : nil
    }
  }
}

extension Image {
  /// Whether the root of a table can be read.
  fileprivate func hasSoundRoot(_ entry: SchemaEntry) -> Bool {
    guard let root = entry.root, let page = try? btreePage(root) else { return false }
    return page.soundCells != nil
  }
}
