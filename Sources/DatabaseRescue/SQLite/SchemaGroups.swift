// SPDX-License-Identifier: Apache-2.0
// The rows of an untrusted schema, sorted into what SQLite has to look at together.

import Diagnosis
import SQLiteFormat

/// The rows of a schema, sorted into what has to be looked at together.
struct SchemaGroups {
  /// A table or view with what belongs to it.
  struct Group {
    /// The rows that claim its name, in the order of the file.
    var claims: [SchemaEntry] = []
    /// Its indexes, and those that only say so.
    var indexes: [SchemaEntry] = []
    /// Its triggers, and those that only say so.
    var triggers: [SchemaEntry] = []
    /// The groups of the tables in which it keeps its rows, if it is virtual.
    var shadows: [Name] = []
  }

  /// The groups by name; of an index or trigger that belongs to nothing, by the name that it states.
  private(set) var groups: [Name: Group] = [:]
  /// The names in the order of the file.
  private(set) var names: [Name] = []

  init(_ entries: [SchemaEntry]) {
    for entry in entries where !entry.name.isReserved {
      let isOwn = entry.kind == .table || entry.kind == .view
      let name = isOwn ? entry.name : entry.table
      if groups[name] == nil { names.append(name) }
      switch entry.kind {
      case .table, .view: groups[name, default: Group()].claims.append(entry)
      case .index where entry.sql == nil: break
      case .index: groups[name, default: Group()].indexes.append(entry)
      case .trigger: groups[name, default: Group()].triggers.append(entry)
      }
    }
    gatherShadows()
  }

  /// Finds the tables whose names are those of virtual tables with one word more, as SQLite does.
  private mutating func gatherShadows() {
    let virtual = names.filter { name in
      groups[name]?.claims.contains { $0.sql.flatMap { VirtualTableTokens($0) } != nil } ?? false
    }
    guard !virtual.isEmpty else { return }
    let makers = Set(virtual)
    for name in names {
      guard let end = name.text.utf8.lastIndex(of: UInt8(ascii: "_")) else { continue }
      let maker = Name(name.text[..<end])
      if makers.contains(maker) { groups[maker]?.shadows.append(name) }
    }
    let shadows = Set(virtual.flatMap { groups[$0]?.shadows ?? [] })
    names.removeAll { shadows.contains($0) && !makers.contains($0) }
  }
}

extension SchemaGroups {
  /// Some of the indexes of an ordinary table; with the first of them go the table itself, or the
  /// view, and its triggers.
  struct Piece: Sendable {
    /// The rows that claim the name of the table.
    let claims: [SchemaEntry]
    let indexes: [SchemaEntry]
    let triggers: [SchemaEntry]
    /// Whether it is the first of its table.
    let isFirst: Bool
  }

  /// The pieces of all groups, where none can have a name that is taken by another one's; nil where
  /// that may be, and where a virtual table is among them.
  var independentPieces: [Piece]? {
    var (objects, triggers): (Set<Name>, Set<Name>) = ([], [])
    for name in names {
      guard let group = groups[name], !group.claims.contains(where: \.isVirtual) else { return nil }
      for entry in group.claims + group.indexes {
        guard objects.insert(entry.name).inserted else { return nil }
      }
      for entry in group.triggers {
        guard triggers.insert(entry.name).inserted else { return nil }
      }
    }
    return names.flatMap { groups[$0]?.pieces ?? [] }
  }
}

extension SchemaGroups.Group {
  /// How many indexes of a table are looked at together.
  private static let indexesMax = 64

  /// An ordinary table or view with what belongs to it, in pieces.
  var pieces: [SchemaGroups.Piece] {
    let starts =
      indexes.isEmpty ? [0] : Array(stride(from: 0, to: indexes.count, by: Self.indexesMax))
    return starts.map { start in
      SchemaGroups.Piece(
        claims: claims,
        indexes: Array(indexes[start..<min(start + Self.indexesMax, indexes.count)]),
        triggers: start == 0 ? triggers : [], isFirst: start == 0)
    }
  }
}
