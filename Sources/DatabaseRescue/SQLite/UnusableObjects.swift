// SPDX-License-Identifier: Apache-2.0
// Views, triggers and full-text tables that cannot be used although SQLite accepts their statements: that
// a table or column which they name is not there, it finds out when they are used.

import Diagnosis
import SQLiteFormat

/// Finds out which views, triggers and full-text tables of a schema cannot be used.
enum UnusableObjects {
  /// How many objects a schema has at most of which that is found out: SQLite looks at all of them
  /// for each.
  private static let objectsMax = 2000

  /// The views, triggers and full-text tables that name a table or column that is not there, and the
  /// triggers that give a table more or fewer values than it has columns.
  ///
  /// None are those whose statements are refused. No row is looked at.
  static func find(in entries: [SchemaEntry]) -> [UnusableObject] {
    guard entries.count <= objectsMax,
      entries.contains(where: { $0.kind == .view || $0.kind == .trigger || $0.isVirtualTable })
    else { return [] }
    let schema = DeclaredSchema(entries)
    guard let database = try? SandboxDatabase() else { return [] }
    for object in schema.declarations where object.kind == .table || object.kind == .view {
      if object.isOnlyRecorded, let module = object.module {
        database.connection.standIn(forModule: module.text)
      }
      // What a module has made already is there.
      _ = try? database.connection.declare(object)
    }
    return schema.declarations.compactMap { object in
      switch object.kind {
      case .view:
        return fault(of: ["SELECT * FROM \(object.name.quotedIdentifier)"], in: database).map {
          UnusableObject(.view, object.name, of: nil, $0)
        }
      case .trigger:
        guard (try? database.connection.declare(object)) != nil else { return nil }
        defer { try? database.connection.execute("DROP TRIGGER \(object.name.quotedIdentifier)") }
        return fault(of: changes(of: object.table, schema), in: database).map {
          UnusableObject(.trigger, object.name, of: object.table, $0)
        }
      case .table where object.hasTextsElsewhere && !object.isOnlyRecorded:
        // Its module looks for the texts when it is read.
        let name = object.name.quotedIdentifier
        guard (try? database.connection.prepare("SELECT * FROM \(name)")) != nil,
          (try? database.connection.value("SELECT count(*) FROM \(name) WHERE rowid = 0")) == nil
        else { return nil }
        return UnusableObject(
          .table, object.name, of: nil, "the texts that it finds words in are not there")
      case .table, .index: return nil
      }
    }
  }

  /// Statements by which rows of a table come, change and go.
  private static func changes(of table: Name, _ schema: DeclaredSchema) -> [String] {
    let name = table.quotedIdentifier
    let columns = schema.table(named: table)?.columns.filter { $0.generated == .none } ?? []
    let changes = columns.map { "\($0.name.quotedIdentifier) = \($0.name.quotedIdentifier)" }
    return ["INSERT INTO \(name) DEFAULT VALUES", "DELETE FROM \(name)"]
      + (changes.isEmpty ? [] : ["UPDATE \(name) SET \(changes.joined(separator: ", "))"])
  }

  /// What SQLite misses when it prepares statements; nil for nothing, or where something else keeps it
  /// from telling, such as a function of the app.
  private static func fault(
    of statements: [String], in database: SandboxDatabase
  ) -> String? {
    for statement in statements {
      do throws(SQLiteError) {
        _ = try database.connection.prepare(statement)
      } catch {
        let message = error.message
        let misses =
          ["no such table: ", "no such column: "].contains(where: message.hasPrefix)
          || [" has no column named ", " values were supplied"].contains(where: message.contains)
        if misses { return message }
      }
    }
    return nil
  }
}

extension SchemaEntry {
  fileprivate var isVirtualTable: Bool { kind == .table && root == nil }
}

extension Declaration {
  /// Whether it is a full-text table that finds words in the texts of another table, or of a view.
  fileprivate var hasTextsElsewhere: Bool {
    module.map { VirtualTable(name: name, module: $0, sql: sql, storage: .nothing) }
      .map { $0.isFullText && $0.contentTable != nil } ?? false
  }
}
