// SPDX-License-Identifier: Apache-2.0
// Salvage: every row that can be read goes into a fresh database, everything doubtful beside it.

package import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One salvage: what is known of the damaged file, and what is to be made of it.
package struct Salvage {
  /// The world.
  package let world: World
  /// What is known of the damaged file.
  package let reconstruction: Reconstruction
  /// The schema to fill.
  package let schema: FreshSchema
  /// New names of tables and columns.
  package let renames: Renames
  /// Whether the schema is the file's own: a table that is not in it cannot be parsed.
  let isOwnSchema: Bool
  /// Whose schema is filled, in words.
  private let schemaSource: String
  /// The files that are read, with their digests.
  private let inputs: [RunRecord.InputDigest]
  /// The backups that lost rows may come from, in the order in which they are asked.
  let backups: [SalvageBackup]
  /// Whether a name in the file may be another one with damaged letters.
  let namesMayBeDamaged: Bool
  /// Whether a row counts although an index contradicts it.
  let believesTables: Bool

  /// What its bytes say.
  package var survey: Survey { reconstruction.survey }

  /// Prepares a salvage into the schema that was asked for, or the file's own.
  package init(
    _ reconstruction: Reconstruction, into schema: FreshSchema? = nil,
    from schemaSource: String? = nil,
    renames: Renames = Renames(), inputs: [RunRecord.InputDigest] = [],
    backups: [SalvageBackup] = [], believesTables: Bool = false, world: World
  ) {
    self.believesTables = believesTables
    self.world = world
    self.reconstruction = reconstruction
    self.schema = schema ?? FreshSchema(of: reconstruction.survey)
    isOwnSchema = schema == nil
    namesMayBeDamaged = schema != nil && reconstruction.namesMayBeDamaged
    self.schemaSource = schemaSource ?? "the damaged file"
    self.renames = renames
    self.inputs = inputs
    self.backups = backups
  }

  /// Builds the fresh database, checks it, and gives it its name.
  ///
  /// `code` names what is unfinished; `whenRead` is called after the last look at the input, and ends
  /// the work by throwing;
  /// `signature` gives the code that the run has when the report is what it is.
  ///
  /// - Throws: ``RescueError`` when the output cannot be written. Nothing is left behind then, and
  ///   what was there is still there.
  package func run(
    to target: SalvageOutput, code: String, whenRead: () throws(RescueError) -> Void = {},
    signature: ((SalvageReport) -> String)? = nil
  ) throws(RescueError) -> SalvageReport {
    guard let reader = SalvageReader(reconstruction, believesTables: believesTables) else {
      throw RescueError(.invalidInput, "there is no database to salvage")
    }
    let (output, quarantine) = (target.database.path, target.quarantine.path)
    try requireRoom(at: output, quarantine)
    do {
      let folder = try PrivateFolder(in: output.folder, world: world)
      let partial = folder.file("salvage.db")
      let partialQuarantine = folder.file("quarantine.db")
      let work = try SalvageWork(self, reader, to: partial, aside: partialQuarantine)
      let report = try work.carryOut(whenRead: whenRead).finish(
        at: partial, aside: partialQuarantine, output: output, quarantine: quarantine
      ) { signature?($0) ?? code }
      try world.requireGoingOn()
      try target.publish(
        partial, partialQuarantine: report.quarantine == nil ? nil : partialQuarantine,
        in: folder, world.storage)
      return report
    } catch {
      let error: any Error = world.isCancelled() ? RescueError.interrupted : error
      throw RescueError(error, doing: "write '\(output)'")
    }
  }

  /// The bytes that there are rows in.
  ///
  /// What a schema computes for each row can be anything: how large the fresh database may become,
  /// and how long that may take, is told by them.
  var inputByteCount: Int {
    ([survey] + backups.map(\.survey)).reduce(0) { $0 + ($1.image?.dataByteCount ?? 0) }
  }

  /// Refuses before the first byte: a journal lies in the way, or there is not enough space.
  private func requireRoom(
    at output: FilePath, _ quarantine: FilePath
  ) throws(RescueError) {
    do {
      for path in [output, quarantine] {
        try JournalsBeside(path, storage: world.storage).refuse()
      }
      let pages = survey.image?.dataByteCount ?? 0
      try world.requireRoom(for: pages + pages / 4 + (1 << 20), at: output)
    } catch {
      throw RescueError(error, doing: "look at '\(output)'", meaning: "nothing was written")
    }
  }

  /// What the quarantine file says of itself.
  var meta: [(key: String, value: String)] {
    let files = inputs.enumerated().map { index, input in
      ("input.\(index + 1)", "\(input.name) \(input.before.map { "\($0)" } ?? "")")
    }
    return [
      ("tool", "dbrescue"), ("version", Tool.version), ("layout", QuarantineDatabase.layout),
      ("created", world.now().ISO8601Format()),
      ("schema_source", schemaSource), ("encoding", survey.encoding.name),
    ] + files + evidence.enumerated().map { ("evidence.\($0 + 1)", $1) }
      + backups.enumerated().map { index, backup in
        let date = backup.created.map { " \($0.ISO8601Format())" } ?? ""
        return ("backup.\(index + 1)", "\(backup.name)\(date)")
      }
  }

  /// The AUTOINCREMENT counters, by the names that the tables have now.
  var sequences: [Name: Int64] {
    Dictionary(
      survey.sequences.map { (renames.newName(of: $0.key), $0.value) }, uniquingKeysWith: max)
  }

  /// The objects of the file's own schema that cannot be made, with the reason.
  var refusedObjects: [(name: Name, reason: String)] {
    isOwnSchema ? schema.declared.refused.map { ($0.name, $0.reason) } : []
  }

  /// The tables whose damaged statements were put right: their rows bear out the form, and nothing
  /// bears out what else was said there.
  var guessedObjects: [(name: Name, reason: String)] {
    guard isOwnSchema, let own = survey.schema, own.sources[.mended] != nil else { return [] }
    return own.parsed.refused.map(\.name).filter { own.parsed.table(named: $0) != nil }.map {
      (
        $0,
        "its statement was damaged, and put right by what fits: names, defaults and rules may be others"
      )
    }
  }
}

extension Reconstruction {
  /// Whether a name in the file may be another one with damaged letters: something else is damaged.
  fileprivate var namesMayBeDamaged: Bool { !Verdict(isDatabase: true, findings).isStructureSound }
}

extension World {
  /// Refuses before the first byte of a new file where there is not enough space.
  func requireRoom(for needed: Int, at output: FilePath) throws {
    let free = try storage.freeBytes(at: output.folder)
    guard free >= needed else {
      throw RescueError(
        .cannotWrite, "\(needed) bytes may be needed in '\(output.folder)', \(free) are free",
        meaning: "nothing was written", advice: "free some space, or choose another --output")
    }
  }
}
