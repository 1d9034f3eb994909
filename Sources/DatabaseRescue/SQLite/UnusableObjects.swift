// SPDX-License-Identifier: Apache-2.0
// Views and triggers that cannot be used although SQLite accepts their statements: that a table or
// column which they name is not there, it finds out when they are used.

import Diagnosis
import SQLiteFormat

/// Finds out which views and triggers of a schema cannot be used.
enum UnusableObjects {
  /// How many objects a schema has at most of which that is found out: SQLite looks at all of them
  /// for each.
  private static let objectsMax = 2000

  /// The views and triggers that name a table or column that is not there, or give a table more or
  /// fewer values than it has columns.
  ///
  /// None are those whose statements are refused. No row is looked at.
  static func find(in entries: [SchemaEntry]) -> [UnusableObject] {
    guard entries.count <= objectsMax,
      entries.contains(where: { $0.kind == .view || $0.kind == .trigger })
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
          UnusableObject(object.name, of: nil, $0)
        }
      case .trigger:
        guard (try? database.connection.declare(object)) != nil else { return nil }
        defer { try? database.connection.execute("DROP TRIGGER \(object.name.quotedIdentifier)") }
        return fault(of: changes(of: object.table, schema), in: database).map {
          UnusableObject(object.name, of: object.table, $0)
        }
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
