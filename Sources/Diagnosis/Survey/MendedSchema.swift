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
  private var doubted: [Name: StatementEvidence]

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
        let evidence = evidence(of: entry),
        evidence.objects(to: table)
      else { continue }
      doubted[entry.name] = evidence
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
      let stated = entry.with(root: entry.root, sql: other.sql)
      return isBetter(stated, in: parser.parse([stated]))
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
      // Where the rows are of no declared types, those tell nothing of either.
      let tells = isRefused || parsed.isBorneOut(entry, in: image)
      let possible = statements(for: entry, besides: others.compactMap(\.sql)).filter { other in
        isBetter(other.entry, in: other.schema)
          && (!tells || other.schema.isBorneOut(other.entry, in: image))
      }
      return best(of: possible)
    }
  }

  /// A statement that a table may have had, and what SQLite makes of it.
  private typealias Possible = (entry: SchemaEntry, schema: ParsedSchema)

  /// The statements that a damaged one may have been, the most likely first.
  private func statements(for entry: SchemaEntry, besides others: [String]) -> [Possible] {
    StatementMender.Readiness.allCases.reduce(into: []) { possible, readiness in
      guard let sql = StatementMender.mended(entry, besides: others, readiness),
        possible.last?.entry.sql != sql
      else { return }
      let mended = entry.with(root: entry.root, sql: sql)
      possible.append((mended, parser.parse([mended])))
    }
  }

  /// The statement of a table for which most speaks, and the first of several.
  private func best(of possible: [Possible]) -> SchemaEntry? {
    guard let first = possible.first, possible.count > 1, let evidence = evidence(of: first.entry)
    else { return possible.first?.entry }
    return possible.dropFirst().reduce(first) { best, other in
      guard let table = other.schema.table(named: other.entry.name),
        let stated = best.schema.table(named: best.entry.name)
      else { return best }
      return evidence.prefers(table, to: stated) ? other : best
    }.entry
  }

  private func evidence(of entry: SchemaEntry) -> StatementEvidence? {
    StatementEvidence(entry, with: automatic[entry.name] ?? [], encoding, in: image)
  }

  /// Whether more speaks for another statement than for the one of the same table that SQLite
  /// accepts; true where it accepts none.
  private func isBetter(
    _ other: SchemaEntry, in schema: @autoclosure () -> ParsedSchema
  ) -> Bool {
    guard let stated = parsed.table(named: other.name) else { return true }
    guard let evidence = doubted[other.name], let table = schema().table(named: other.name) else {
      return false
    }
    return evidence.prefers(table, to: stated)
  }
}

extension Image {
  /// Whether hardly anything is wrong with the root of a table.
  fileprivate func hasReadableRoot(_ entry: SchemaEntry) -> Bool {
    entry.root.flatMap { try? btreePage($0) }?.mostCells != nil
  }
}
