// SPDX-License-Identifier: Apache-2.0
// The schema that a fresh database is made with: a contract's, or the file's own.

package import Diagnosis
package import SQLiteFormat

/// The schema that a fresh database is made with.
package struct FreshSchema: Sendable {
  /// The statements, each known to be a declaration.
  package var declared: DeclaredSchema
  /// The app's own version number.
  package var userVersion: Int32
  /// The application id.
  package var applicationID: Int32
  /// Whether the rows come with what was computed of them when they were written: then that is kept
  /// where only the app could compute it.
  package var keepsComputedValues = false
  /// The page size in bytes.
  package var pageSize: Int
  /// The text encoding.
  package var encoding: TextEncoding
  /// `PRAGMA auto_vacuum`: 0 none, 1 full, 2 incremental.
  package var autoVacuum: Int

  /// Makes a schema.
  package init(
    _ declared: DeclaredSchema, userVersion: Int32, applicationID: Int32, pageSize: Int = 4096,
    encoding: TextEncoding = .utf8, autoVacuum: Int = 0
  ) {
    self.declared = declared
    self.userVersion = userVersion
    self.applicationID = applicationID
    self.pageSize = pageSize
    self.encoding = encoding
    self.autoVacuum = autoVacuum
  }

  /// What SQLite makes of the statements.
  package var description: SchemaDescription { declared.description }

  /// A table as it is filled, by name: columns whose values are kept are like any other.
  package func table(named name: Name) -> TableDescription? {
    guard var table = declared.table(named: name) else { return nil }
    guard keepsComputedValues, table.columns.contains(where: { $0.generated == .stored }),
      declared.declaration(of: name)?.missingFunctions.isEmpty == false
    else { return table }
    for column in table.columns.indices where table.columns[column].generated == .stored {
      table.columns[column].generated = .none
    }
    return table
  }

  /// How the virtual tables of a file become those of the same names here.
  package func virtualMappings(
    from survey: Survey, _ renames: Renames = Renames()
  ) -> [Name: VirtualMapping] {
    var mappings: [Name: VirtualMapping] = [:]
    for table in survey.virtualTables where !table.parts.isEmpty || table.isFullText {
      guard renames.newName(of: table.name) == table.name,
        let old = survey.schema?.table(named: table.name),
        let other = declared.virtualTables.first(where: { $0.name == table.name }),
        other.storage != .nothing, let new = declared.table(named: table.name)
      else { continue }
      let renamed = renames.columns(
        of: table.name, from: Set(old.columns.map(\.name)), to: Set(new.columns.map(\.name)))
      mappings[table.name] = VirtualMapping(from: table, old, to: other, new, renamed: renamed)
    }
    return mappings
  }

  /// The tables that the module of a virtual table makes with it.
  func partsMade(with name: Name) -> [Name] {
    guard case .parts(let parts) = declared.virtualTables.first(where: { $0.name == name })?.storage
    else { return [] }
    return parts.map(\.name)
  }
}

extension FreshSchema {
  /// The schema that a file states itself, as far as it can be parsed.
  package init(of survey: Survey) {
    self.init(
      DeclaredSchema(survey.schema?.entries ?? []),
      userVersion: survey.header?.userVersion ?? 0,
      applicationID: survey.header?.applicationID ?? 0,
      pageSize: survey.geometry?.geometry.pageSize ?? 4096, encoding: survey.encoding,
      autoVacuum: survey.header.map { header in
        header.isAutoVacuum ? (header.incrementalVacuum ? 2 : 1) : 0
      } ?? 0)
    keepsComputedValues = true
  }

  /// This schema with what another one has besides; of one name, this one's counts.
  package func completed(by other: FreshSchema, withVersions: Bool) -> FreshSchema {
    var schema = self
    schema.declared = declared.completed(by: other.declared)
    schema.keepsComputedValues = false
    if withVersions {
      schema.userVersion = other.userVersion
      schema.applicationID = other.applicationID
      schema.autoVacuum = other.autoVacuum
    }
    return schema
  }
}
