// SPDX-License-Identifier: Apache-2.0
// The contract document as a JSON Schema, for editors and for people who write one by hand.

extension Contract {
  /// The JSON Schema (draft 2020-12) of a contract document.
  package static let jsonSchema: String = #"""
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "dbrescue contract",
      "description": "What an app expects of its SQLite database. JSON5 is read: comments and trailing commas are welcome.",
      "type": "object",
      "additionalProperties": false,
      "required": ["version", "name"],
      "properties": {
        "format": {"const": "dbrescue.contract", "description": "What this document is."},
        "version": {"const": 1, "description": "The version of this format."},
        "name": {"type": "string", "description": "The name of the database, such as the app's."},
        "applicationID": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647, "description": "PRAGMA application_id; any will do when absent."},
        "userVersion": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647, "default": 0, "description": "PRAGMA user_version."},
        "tables": {"type": "array", "items": {"$ref": "#/$defs/table"}, "description": "Taken from freshSchema when absent."},
        "triggers": {"type": "array", "items": {"$ref": "#/$defs/statement"}},
        "views": {"type": "array", "items": {"$ref": "#/$defs/statement"}},
        "freshSchema": {"type": "array", "items": {"type": "string"}, "description": "The full CREATE statements, in an order that executes."},
        "invariants": {"type": "array", "items": {"$ref": "#/$defs/invariant"}},
        "unsynced": {"type": "array", "items": {"$ref": "#/$defs/unsynced"}},
        "rowCounts": {"type": "object", "additionalProperties": {"enum": ["conserved", "any"]}, "description": "What a migration may do to the number of rows, by table; conserved when absent."},
        "allowExtraObjects": {"type": "boolean", "default": false, "description": "Whether tables, indexes, triggers and views that are not expected are allowed."},
        "renamedTables": {"type": "object", "additionalProperties": {"type": "string"}, "description": "New names of tables by their old ones: where a salvage puts the rows."},
        "renamedColumns": {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}}, "description": "By table, new names of columns by their old ones."},
        "ignoreTables": {"type": "array", "items": {"type": "string"}, "description": "Tables that are not looked at."},
        "rules": {"enum": ["sqlite", "room"], "default": "sqlite", "description": "By whose rules schemas are compared: room looks at what Room looks at, and all else is a notice."},
        "frameworks": {"type": "object", "additionalProperties": {"$ref": "#/$defs/book"}, "description": "What frameworks have noted in a database of this version, by their names."}
      },
      "$defs": {
        "book": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "identityHash": {"type": "string", "description": "Room: what stands in room_master_table."},
            "migrations": {"type": "array", "items": {"type": "string"}, "description": "The migrations that were carried out, by the names under which they are noted; of frameworks that note one number, that."},
            "ancestors": {"type": "array", "items": {"type": "string"}, "description": "Of frameworks that note only where the branches stand: what leads there. A database at one of these is older, and one at a head that is in neither list is newer."},
            "model": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Core Data: the model's identifiers, and the hash of each entity."}
          }
        },
        "invariant": {
          "type": "object",
          "additionalProperties": false,
          "required": ["name", "sql"],
          "properties": {
            "name": {"type": "string"},
            "sql": {"type": "string", "description": "A query that must return no rows."}
          }
        },
        "unsynced": {
          "type": "object",
          "additionalProperties": false,
          "required": ["name", "table", "where"],
          "properties": {
            "name": {"type": "string"},
            "table": {"type": "string"},
            "where": {"type": "string", "description": "An expression that is true for a row that waits to be sent."}
          }
        },
        "statement": {
          "type": "object",
          "additionalProperties": false,
          "required": ["name", "table", "sql"],
          "properties": {
            "name": {"type": "string"},
            "table": {"type": "string", "description": "The table of a trigger; the view's own name."},
            "sql": {"type": "string"}
          }
        },
        "table": {
          "type": "object",
          "additionalProperties": false,
          "required": ["name"],
          "properties": {
            "name": {"type": "string"},
            "kind": {"enum": ["ordinary", "virtual", "shadow"], "default": "ordinary"},
            "columns": {"type": "array", "items": {"$ref": "#/$defs/column"}},
            "withoutRowID": {"type": "boolean", "default": false},
            "strict": {"type": "boolean", "default": false},
            "autoincrement": {"type": "boolean", "default": false},
            "rowIDAlias": {"type": "integer", "minimum": -1, "description": "The position of the column that is the rowid, or -1 for none; needed only where that is not the one INTEGER PRIMARY KEY."},
            "storageOrder": {"type": "array", "items": {"type": "integer", "minimum": 0}, "description": "The positions of the columns in the order of the record; needed only where that is not the usual one."},
            "indexes": {"type": "array", "items": {"$ref": "#/$defs/index"}},
            "foreignKeys": {"type": "array", "items": {"$ref": "#/$defs/foreignKey"}},
            "checks": {"type": "array", "items": {"type": "string"}, "description": "The conditions of CHECK constraints."},
            "sql": {"type": "string"}
          }
        },
        "column": {
          "type": "object",
          "additionalProperties": false,
          "required": ["name"],
          "properties": {
            "name": {"type": "string"},
            "type": {"type": "string", "default": ""},
            "notNull": {"type": "boolean", "default": false},
            "default": {"type": "string", "description": "The SQL expression of the default."},
            "primaryKey": {"type": "integer", "minimum": 0, "default": 0, "description": "The position in the primary key, from 1."},
            "generated": {"enum": ["none", "virtual", "stored"], "default": "none"},
            "collation": {"type": "string", "default": "BINARY"}
          }
        },
        "index": {
          "type": "object",
          "additionalProperties": false,
          "required": ["name", "columns"],
          "properties": {
            "name": {"type": "string"},
            "unique": {"type": "boolean", "default": false},
            "origin": {"enum": ["created", "uniqueConstraint", "primaryKey"], "default": "created"},
            "columns": {"type": "array", "items": {"$ref": "#/$defs/indexColumn"}},
            "predicate": {"type": "string", "description": "The condition of a partial index."},
            "sql": {"type": "string"}
          }
        },
        "indexColumn": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "name": {"type": "string"},
            "expression": {"type": "string"},
            "descending": {"type": "boolean", "default": false},
            "collation": {"type": "string", "default": "BINARY"}
          }
        },
        "foreignKey": {
          "type": "object",
          "additionalProperties": false,
          "required": ["columns", "table"],
          "properties": {
            "columns": {"type": "array", "items": {"type": "string"}},
            "table": {"type": "string"},
            "referencedColumns": {"type": "array", "items": {"type": "string"}, "description": "The primary key of the table when absent."},
            "onUpdate": {"type": "string", "default": "NO ACTION"},
            "onDelete": {"type": "string", "default": "NO ACTION"},
            "match": {"type": "string", "default": "NONE"},
            "deferred": {"type": "boolean", "default": false}
          }
        }
      }
    }
    """#
}
