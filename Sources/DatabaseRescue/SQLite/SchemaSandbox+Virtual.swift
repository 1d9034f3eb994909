// SPDX-License-Identifier: Apache-2.0
// Virtual tables of an untrusted schema, and the ordinary tables that store them.

import Diagnosis
import SQLiteFormat

/// A virtual table with the tables that store it.
private struct VirtualFamily {
  /// The virtual table.
  let table: TableDescription
  /// Those of the file's tables that store it, with whether its module makes them.
  let shadows: [Name: Bool]
  /// What the module makes besides.
  let other: [TableDescription]
}

extension SchemaSandbox {
  /// Declares a virtual table with the tables that store it: as its module makes them, where that
  /// agrees with the file; else each by its own statement.
  mutating func declareVirtual(_ group: SchemaGroups.Group) {
    let start = declarations.count
    // The tables as the file has them, with their indexes and triggers.
    for name in group.shadows {
      guard let shadow = groups.groups[name], !shadow.claims.contains(where: \.isVirtual) else {
        continue
      }
      declareOrdinary(shadow)
    }
    let stored = (start..<declarations.count).filter { declarations[$0].kind == .table }
    var isMade = false
    for claim in group.claims {
      if claim.isVirtual, !isTaken(claim), declareThroughModule(claim, group, stored) {
        isMade = true
      } else {
        declareWithoutModule(claim)
      }
    }
    guard !isMade else { return }
    plain.takingBack { declare(group.indexes + group.triggers, in: plain) }
  }

  /// Declares a virtual table that can only be written down: its module is not here, or does not
  /// make the tables that the file has.
  private mutating func declareWithoutModule(_ claim: SchemaEntry) {
    plain.takingBack {
      guard let module = claim.virtualModule else {
        _ = declare(claim, in: plain)
        return describe(isFirst: true)
      }
      plain.connection.standIn(forModule: module.text)
      guard declare(claim, in: plain) != nil else { return }
      if !virtualTables.contains(where: { $0.name == claim.name }) {
        virtualTables.append(
          VirtualTable(
            name: claim.name, module: module, sql: claim.sql ?? "",
            storage: KnownModules.unstored.contains(module)
              ? .nothing : .unknown("the module '\(module)' is not here")))
      }
      declarations[declarations.count - 1].isOnlyRecorded = true
      description.tables.append(
        TableDescription(
          name: claim.name, kind: .virtual, columns: [], storageOrder: [], sql: claim.sql ?? ""))
    }
  }

  /// Declares a virtual table where its module is here and makes the tables that the file has.
  private mutating func declareThroughModule(
    _ claim: SchemaEntry, _ group: SchemaGroups.Group, _ stored: [Int]
  ) -> Bool {
    guard let module = claim.virtualModule, KnownModules.stored.contains(module) else {
      return false
    }
    var table = VirtualTable(
      name: claim.name, module: module, sql: claim.sql ?? "", storage: .nothing)
    var isMade = false
    modules.takingBack {
      let declaration: Declaration
      do throws(DeclarationFault) {
        declaration = try make(claim)
      } catch {
        table.storage = .unknown(error.reason)
        return
      }
      guard let family = family(of: &table, stored) else { return }
      note(declaration)
      take(family, of: claim.name, stored)
      declare(group.indexes + group.triggers, in: modules)
      isMade = true
    }
    virtualTables.append(table)
    return isMade
  }

  /// Takes in a virtual table that was just made.
  private mutating func take(_ family: VirtualFamily, of name: Name, _ stored: [Int]) {
    description.tables.append(family.table)
    for (name, isImplied) in family.shadows {
      guard let index = stored.first(where: { declarations[$0].name == name }) else { continue }
      declarations[index].family = family.table.name
      declarations[index].isImplied = isImplied
    }
    for index in description.tables.indices
    where family.shadows[description.tables[index].name] != nil {
      description.tables[index].kind = .shadow
    }
    description.tables += family.other
  }

  /// Makes a virtual table, with the table of its content beside it where the module asks for that.
  private func make(_ claim: SchemaEntry) throws(DeclarationFault) -> Declaration {
    do throws(DeclarationFault) {
      return try modules.connection.declare(claim)
    } catch {
      guard error.reason.hasPrefix("no such table"),
        let content = error.reason.split(whereSeparator: { " .".contains($0) }).last,
        groups.groups[Name(content)]?.claims.contains(where: { entry in
          (try? modules.connection.declare(entry)) != nil
        }) == true
      else { throw error }
      return try modules.connection.declare(claim)
    }
  }

  /// A virtual table that was just made, those of the file's tables that store it, with whether
  /// its module makes them, and what the module makes besides; nil where rows of the file have no
  /// place in what it makes, but for those of an index that can be built anew.
  private func family(of table: inout VirtualTable, _ stored: [Int]) -> VirtualFamily? {
    let name = table.name
    guard let made = try? SchemaReader.describe(modules.connection),
      let description = made.tables.first(where: { $0.name == name })
    else { return nil }
    var reserved: Set<Name> = []
    for index in stored where !made.tables.contains(where: { $0.name == declarations[index].name })
    {
      // Only beside its virtual table SQLite tells whether a table stores it: lists it as such, or
      // lets nobody but the module make it.
      do throws(DeclarationFault) {
        try modules.connection.declare(declarations[index])
      } catch {
        if error.reason.hasPrefix("object name reserved") {
          reserved.insert(declarations[index].name)
        }
      }
    }
    guard let all = try? SchemaReader.describe(modules.connection) else { return nil }
    let parts = made.tables.filter { $0.kind == .shadow }
    table.columnCount = description.columns.count
    table.storage = .parts(
      parts.map { VirtualTable.Part(name: $0.name, columnCount: $0.columns.count) })
    var shadows: [Name: Bool] = [:]
    var haveRowsAPlace = true
    for index in stored {
      let name = declarations[index].name
      if reserved.contains(name) { shadows[name] = false }
      guard let other = all.tables.first(where: { $0.name == name }), other.kind == .shadow else {
        continue
      }
      let isPart = parts.contains { $0.name == name }
      shadows[name] = isPart
      guard let own = self.description.tables.first(where: { $0.name == name }) else { return nil }
      if isPart, !own.serves(as: other) { table.misshapen.append(name) }
      haveRowsAPlace =
        haveRowsAPlace && (own.hasPlace(in: other) || isPart && table.isComputed(name))
    }
    guard haveRowsAPlace else { return nil }
    return VirtualFamily(
      table: description, shadows: shadows, other: parts.filter { shadows[$0.name] == nil })
  }
}

extension SchemaEntry {
  /// The module of a virtual table.
  fileprivate var virtualModule: Name? {
    kind == .table ? sql.flatMap { VirtualTableTokens($0)?.module } : nil
  }

  var isVirtual: Bool { virtualModule != nil }
}

extension TableDescription {
  /// Whether each column has a place in another table, and none of that is left without one.
  fileprivate func hasPlace(in other: TableDescription) -> Bool {
    guard withoutRowID == other.withoutRowID else { return false }
    let mapping = ColumnMapping(from: RowShape(self, defaults: [], encoding: .utf8), to: other)
    return mapping.leftOut.isEmpty && mapping.targets.count == other.columns.count
  }
}

extension TableDescription {
  /// Whether whoever looks for the columns of another table finds them here.
  fileprivate func serves(as other: TableDescription) -> Bool {
    withoutRowID == other.withoutRowID && rowIDAlias == other.rowIDAlias
      && columns.count >= other.columns.count
      && zip(columns, other.columns).allSatisfy { $0.name == $1.name }
  }
}

extension VirtualTable {
  /// Whether the rows of a table that stores it can be computed of others.
  fileprivate func isComputed(_ part: Name) -> Bool {
    isFullText && hasTexts && part != Name("\(name)_content")
  }
}
