// SPDX-License-Identifier: Apache-2.0
// A salvage made ready: which schema it fills, and where that comes from.

import Diagnosis
import SQLiteFormat

extension Salvage {
  /// Prepares a salvage into the schema of a contract, or the file's own.
  ///
  /// - Throws: ``RescueError`` when the contract has no schema.
  init(
    of reconstruction: Reconstruction, into contract: Contract?,
    inputs: [RunRecord.InputDigest] = [],
    backups: [SalvageBackup] = [], believesTables: Bool = false, world: World
  ) throws(RescueError) {
    let (schema, source) = try Self.freshSchema(for: reconstruction.survey, contract, backups)
    let renames = Renames(
      contract, from: reconstruction.survey.tableNames,
      to: Set(schema?.description.tables.map(\.name) ?? []))
    self.init(
      reconstruction, into: schema, from: source, renames: renames, inputs: inputs,
      backups: backups, believesTables: believesTables, world: world)
  }

  /// The schema that a salvage fills, and where it comes from; nil for the file's own.
  ///
  /// A contract decides; else the tables that a damaged schema does not name any more are those
  /// of the first backup.
  private static func freshSchema(
    for survey: Survey, _ contract: Contract?, _ backups: [SalvageBackup]
  ) throws(RescueError) -> (schema: FreshSchema?, source: String?) {
    if let contract {
      var schema = try FreshSchema(contract: contract)
      schema.pageSize = survey.geometry?.geometry.pageSize ?? schema.pageSize
      schema.encoding = survey.encoding
      return (schema, "the contract '\(contract.name)'")
    }
    guard survey.schema?.isWhole != true, let backup = backups.first else { return (nil, nil) }
    return (
      FreshSchema(of: survey).completed(
        by: FreshSchema(of: backup.survey), withVersions: survey.header == nil),
      "the damaged file and \(backup.name)"
    )
  }
}
