// SPDX-License-Identifier: Apache-2.0
// What was not checked: nothing speaks against it, and nothing for it.

package import SQLiteFormat

/// Something that was not checked, and why.
public struct Unchecked: Hashable, Sendable {
  /// What it is that was not checked.
  package enum Subject: String, Hashable, Sendable, CaseIterable, Codable {
    /// A statement of the schema.
    case statement
    /// The keys of an index.
    case keys
    /// The order of the keys of an index or table.
    case order
    /// A constraint of a table.
    case constraints
    /// A virtual table whose module or tokenizer is not here.
    case virtualTable = "virtual-table"
    /// Whether the index of a full-text table has the words of its rows.
    case words
    /// Whether the nodes of an R-tree lie where they belong.
    case regions
    /// Whether the rows of a table refer to rows that are there.
    case references
    /// Something that a contract expects.
    case contract
    /// A process that may have the database open.
    case process
    /// Whether the log beside the database is its own.
    case log
    /// Whether a migration under guard was cut off.
    case migration
    /// Whether the database follows from its newest backup.
    case succession
  }

  /// What was not checked.
  package let subject: Subject
  /// The table, index or process, by name; nil where it is the database.
  public let object: String?
  /// Why, in words without a full stop and without values of rows.
  public let reason: String

  /// Makes an entry.
  package init(_ subject: Subject, of object: Name? = nil, because reason: String) {
    self.init(subject, of: object?.text, because: reason)
  }

  /// Makes an entry about something that is not in a schema.
  package init(_ subject: Subject, of object: String?, because reason: String) {
    self.subject = subject
    self.object = object
    self.reason = reason
  }

  /// What was not checked and why, in one line.
  public var message: String { "\(what): \(reason)" }

  private var what: String {
    let name = object.map { " '\($0)'" } ?? ""
    return switch subject {
    case .statement: "the statement of\(name) was not checked"
    case .keys: "the keys of \(object == nil ? "indexes" : "index" + name) were not checked"
    case .order: "the order of\(name) was not checked"
    case .constraints: "not every constraint of\(name) was checked"
    case .virtualTable: "the virtual table\(name) was not checked"
    case .words: "the words of\(name) were not compared with its rows"
    case .regions: "the places of the nodes of\(name) were not checked"
    case .references: "the foreign keys of\(name) were not checked"
    case .contract:
      "what the contract says of\(object == nil ? " the database" : name) was not checked"
    case .process:
      object == nil ? "not every process was looked at" : "the process\(name) was not looked at"
    case .log: "whether the -wal is that of this database could not be told"
    case .migration: "whether a migration was cut off here could not be told"
    case .succession: "whether the database is older than its newest backup was not checked"
    }
  }

  /// Whether a finding of its own says so.
  private var hasFinding: Bool { [.statement, .contract, .references].contains(subject) }

  /// It as a finding; nil where there is another one that says so.
  var finding: Finding? {
    hasFinding ? nil : Finding(.notChecked, message, at: .init(object: object))
  }

  /// Why a module was not asked, where it can be.
  package static let notAsked = "diagnose has SQLite do that"

  /// How many things were not checked, in words.
  package static func count(_ unchecked: [Unchecked]) -> String {
    unchecked.count == 1
      ? "1 thing was not checked" : "\(unchecked.count) things were not checked"
  }
}

extension Survey {
  /// What was not checked, after modules were asked.
  func unchecked(_ modules: [ModuleVerdict]) -> [Unchecked] {
    guard !modules.isEmpty else { return unchecked }
    let asked = Set(modules.map(\.table.text))
    return unchecked.filter { thing in
      ![.words, .regions].contains(thing.subject) || thing.object.map(asked.contains) != true
    }
      + modules.compactMap { verdict in
        virtualTables.first { $0.name == verdict.table }.flatMap(verdict.unchecked)
      }
  }

  /// What of the bytes was not checked.
  package var unchecked: [Unchecked] {
    guard let schema else { return [] }
    return statements(schema) + trees.flatMap { unchecked($0, schema) }
      + virtualTables.compactMap(unchecked) + (isLogUntold ? [Self.untoldLog] : [])
  }

  private static let untoldLog = Unchecked(
    .log, of: nil as String?,
    because: "nothing that its pages hold is on the same pages of the file")

  private func statements(_ schema: SchemaSurvey) -> [Unchecked] {
    schema.parsed.refused.filter { $0.weight == .unchecked }.map {
      Unchecked(.statement, of: $0.name, because: $0.reason)
    }
  }

  private func unchecked(_ tree: TreeSurvey, _ schema: SchemaSurvey) -> [Unchecked] {
    let name = tree.entry.name
    let order = schema.reasonForUnknownOrder(of: tree.entry).map {
      Unchecked(.order, of: name, because: $0)
    }
    guard tree.entry.kind == .index else {
      let constraints = tree.computed?.uncheckedConstraints.map {
        Unchecked(.constraints, of: name, because: $0)
      }
      return [order, constraints].compactMap(\.self)
    }
    // Of an index or table that is damaged, that is said.
    guard tree.isSound, let table = self.tree(named: tree.entry.table), table.isReadable,
      table.computed?.failedIndexes.contains(name) != true
    else { return [] }
    let keys = table.computed?.uncheckedIndexes[name].map {
      Unchecked(.keys, of: name, because: $0)
    }
    return [keys, order].compactMap(\.self)
  }

  private func unchecked(_ table: VirtualTable) -> Unchecked? {
    switch table.storage {
    case .nothing: return nil
    case .unknown(let reason): return Unchecked(.virtualTable, of: table.name, because: reason)
    case .parts:
      // Of one that is damaged, that is said.
      guard faults(of: table).isEmpty else { return nil }
      return Unchecked(
        table.isFullText ? .words : .regions, of: table.name,
        because: table.canBeAsked
          ? Unchecked.notAsked : "SQLite has no check for '\(table.module)'")
    }
  }
}

extension SchemaSurvey {
  /// Why the order of an index or of a table without rowids is not known; nil where it is.
  fileprivate func reasonForUnknownOrder(of entry: SchemaEntry) -> String? {
    guard let table = table(named: entry.table),
      let index = entry.kind == .index
        ? parsed.index(named: entry.name, of: table.name)
        : table.withoutRowID ? table.indexes.first(where: { $0.origin == .primaryKey }) : nil
    else { return nil }
    for collation in index.columns.map(\.collation) where collation != "BINARY" {
      if KeyOrder.Collation(collation) == nil {
        return "only the app has the collation '\(collation)'"
      }
    }
    return nil
  }
}
