// SPDX-License-Identifier: Apache-2.0
// Tables whose statements are damaged, with the statements that their rows bear out.

import SQLiteFormat

/// The tables of a schema whose statements SQLite refuses, or their rows.
struct MendedSchema {
  /// How many bytes of statements are looked at that are refused, and that are not.
  private static let (byteCountMax, acceptedByteCountMax) = (8_000, 2_000)

  private let image: Image
  private let parser: any SchemaParsing
  private let entries: [SchemaEntry]
  private let parsed: ParsedSchema
  private let encoding: TextEncoding
  /// The indexes that SQLite made by itself, by table.
  private let automatic: [Name: Set<Name>]
  /// The tables whose statements SQLite accepts, and something else speaks against.
  private var doubted: [Name: StatementWitness]

  /// Takes the rows of the schema, what SQLite makes of them, and the pages of the tables.
  init(
    _ entries: [SchemaEntry], _ parsed: ParsedSchema, _ encoding: TextEncoding, in image: Image,
    _ parser: any SchemaParsing
  ) {
    (self.image, self.parser, self.entries, self.parsed) = (image, parser, entries, parsed)
    self.encoding = encoding
    automatic = Dictionary(
      grouping: entries.filter { $0.kind == .index && $0.sql == nil }, by: \.table
    ).mapValues { Set($0.map(\.name)) }
    doubted = [:]
    for entry in entries {
      guard let table = parsed.table(named: entry.name), table.kind == .ordinary,
        let witness = witness(of: entry),
        witness.objects(to: table)
      else { continue }
      doubted[entry.name] = witness
    }
  }

  /// Whether nothing speaks against a statement that SQLite accepts.
  var isEachBorneOut: Bool { doubted.isEmpty }

  /// The tables of a schema from outside for which more speaks than for those of their names here.
  func better(among others: [SchemaEntry]) -> [SchemaEntry] {
    others.filter { other in
      guard other.kind == .table, let entry = entries.first(where: { $0.key == other.key }) else {
        return false
      }
      return isBetter(entry.with(root: entry.root, sql: other.sql))
    }
  }

  /// The tables of which a mended statement is accepted, and borne out by the rows.
  func tables() -> [SchemaEntry] {
    let refused = Set(parsed.refused.filter { $0.weight != .unchecked }.map(\.name))
    let damaged = entries.filter {
      $0.kind == .table && (refused.contains($0.name) || doubted[$0.name] != nil)
    }
    guard Set(damaged.map(\.name)).count == damaged.count else { return [] }
    var rest = (refused: Self.byteCountMax, accepted: Self.acceptedByteCountMax)
    let sound = entries.filter { $0.kind == .table && !refused.contains($0.name) }
    return damaged.compactMap { entry in
      let byteCount = entry.sql?.utf8.count ?? 0
      let isRefused = refused.contains(entry.name)
      if isRefused { rest.refused -= byteCount } else { rest.accepted -= byteCount }
      guard isRefused ? rest.refused >= 0 : rest.accepted >= 0 else { return nil }
      let own = entries.filter { $0.kind == .index && $0.table == entry.name }
      let others = own + sound.filter { $0.name != entry.name }
      guard image.hasReadableRoot(entry) else { return nil }
      let possible = StatementMender.Readiness.allCases.compactMap { readiness in
        StatementMender.mended(entry, besides: others.compactMap(\.sql), readiness)
          .map { entry.with(root: entry.root, sql: $0) }
      }.filter { mended in
        // Where the rows are of no declared types, those tell nothing of either.
        let tells = isRefused || parsed.isBorneOut(entry, in: image)
        return isBetter(mended)
          && (!tells || parser.parse([mended]).isBorneOut(mended, in: image))
      }
      return best(of: possible)
    }
  }

  /// The statement of a table for which most speaks, and the first of several.
  private func best(of possible: [SchemaEntry]) -> SchemaEntry? {
    guard let first = possible.first, possible.count > 1, let witness = witness(of: first) else {
      return possible.first
    }
    return possible.dropFirst().reduce(first) { best, other in
      guard let table = parser.parse([other]).table(named: other.name),
        let stated = parser.parse([best]).table(named: best.name)
      else { return best }
      return witness.prefers(table, to: stated) ? other : best
    }
  }

  private func witness(of entry: SchemaEntry) -> StatementWitness? {
    StatementWitness(entry, with: automatic[entry.name] ?? [], encoding, in: image)
  }

  /// Whether more speaks for another statement than for the one of the same table that SQLite
  /// accepts; true where it accepts none.
  private func isBetter(_ other: SchemaEntry) -> Bool {
    guard let stated = parsed.table(named: other.name) else { return true }
    guard let table = parser.parse([other]).table(named: other.name) else { return false }
    return doubted[other.name]?.prefers(table, to: stated) ?? false
  }
}

extension Image {
  /// Whether hardly anything is wrong with the root of a table.
  fileprivate func hasReadableRoot(_ entry: SchemaEntry) -> Bool {
    entry.root.flatMap { try? btreePage($0) }?.mostCells != nil
  }
}
