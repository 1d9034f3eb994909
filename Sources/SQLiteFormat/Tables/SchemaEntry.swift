// SPDX-License-Identifier: Apache-2.0
// One row of the schema table, which names everything else in the file.

/// One row of `sqlite_schema`.
///
/// File format, section 2.6.
package struct SchemaEntry: Hashable, Sendable {
  /// What a row of the schema table declares.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A table, ordinary or virtual.
    case table
    /// An index.
    case index
    /// A view.
    case view
    /// A trigger.
    case trigger
  }

  /// What it declares.
  package let kind: Kind
  /// Its name.
  package let name: Name
  /// The table that an index or trigger belongs to.
  package let table: Name
  /// The root of its tree; nil for views, triggers and virtual tables.
  package let root: PageNumber?
  /// The statement that made it; nil for indexes that SQLite makes itself.
  package let sql: String?

  /// Whether something stands in its names or its statement for bytes that are no text.
  package var hasStandIn: Bool {
    [name.text, table.text, sql ?? ""].contains { TextEncoding.hasStandIn($0) }
  }

  /// Makes an entry.
  package init(kind: Kind, name: Name, table: Name, root: PageNumber?, sql: String?) {
    self.kind = kind
    self.name = name
    self.table = table
    self.root = root
    self.sql = sql
  }

  /// Reads an entry from a record; nil when the record is no row of a schema table.
  ///
  /// `kind` tells what a type is that is none in lower case.
  package init?(
    _ record: Record, encoding: TextEncoding, kind unknown: (String) -> Kind? = { _ in nil }
  ) {
    guard record.fieldCount == 5, let type = record.characters(0) else { return nil }
    let word = encoding.string(type).lowercased()
    guard let kind = Kind(rawValue: word) ?? unknown(word),
      let name = record.characters(1), let table = record.characters(2)
    else { return nil }
    switch record.value(3) {
    case .integer(let number): root = UInt32(exactly: number).flatMap { PageNumber($0) }
    case .null: root = nil
    default: return nil
    }
    switch record.value(4) {
    case .text(let text), .blob(let text): sql = encoding.distinctString(text)
    case .null: sql = nil
    default: return nil
    }
    self.kind = kind
    self.name = Name(encoding.distinctString(name))
    self.table = Name(encoding.distinctString(table))
  }
}

extension Record {
  /// The bytes of a text in a field, also where it is stored as a BLOB: SQLite reads that as text.
  fileprivate func characters(_ field: Int) -> Bytes? {
    switch value(field) {
    case .text(let bytes), .blob(let bytes): bytes
    default: nil
    }
  }
}
