// SPDX-License-Identifier: Apache-2.0
// Salvage of a database that somebody may be writing to: of one moment, or of none.

package import Diagnosis
import SQLiteFormat

extension Rescue {
  /// Salvages a database into a new one; `files` are what else the caller reads and writes.
  ///
  /// - Throws: ``RescueError`` when there is no database in the file, or the output exists, is an
  ///   input or cannot be written.
  package func salvage(
    _ input: InputFiles, to output: FilePath, into contract: Contract? = nil,
    backups: [FilePath] = [], replacing: Bool = false, files: RunFiles
  ) throws(RescueError) -> RunResult<SalvageReport> {
    try run(.salvage, on: input.main) { run throws(RescueError) in
      var files = files
      files.read(input.all + backups, storage: world.storage)
      let output = try SalvageOutput(
        output, replacing: replacing, in: &files, storage: world.storage)
      let backups = try backups.map { path throws(RescueError) in
        try SalvageBackup(at: path, world: world)
      }
      if !input.isPrivate { try world.requireNotHeldApart(input.main) }
      let report = try run.salvage(input, to: output, into: contract, backups: backups)
      run.notes.take(report)
      return report
    }
  }
}

extension Run {
  /// Salvages the files as they are at one moment: where they change before all of them is read, a
  /// private copy of one moment is read instead, and nothing is left of what was read before.
  ///
  /// - Throws: ``RescueError`` of the kind `.busy` when they changed under every copying.
  mutating func salvage(
    _ input: InputFiles, to output: SalvageOutput, into contract: Contract?,
    backups: [SalvageBackup]
  ) throws(RescueError) -> SalvageReport {
    let world = world
    return try salvage(
      input, to: output, contract, known: backups.first?.knowledge, isResult: true
    ) { reconstruction, inputs throws(RescueError) in
      try Salvage(
        of: reconstruction, into: contract, inputs: inputs, backups: backups, world: world)
    }
  }

  /// Salvages the files as they are at one moment by what `prepare` makes of what was found; the
  /// output is the run's result, or a private file on the way to it.
  ///
  /// - Throws: ``RescueError`` of the kind `.busy` when they changed under every copying.
  mutating func salvage(
    _ input: InputFiles, to output: SalvageOutput, _ contract: Contract? = nil,
    known: OutsideKnowledge?, isResult: Bool, preparing prepare: Preparation
  ) throws(RescueError) -> SalvageReport {
    let start = try DatabaseState.settled(of: input, in: world)
    // A journal may have come since the files were looked for.
    let input = try input.lookedForAgain(in: world.storage)
    if start.isAtRest(in: input, storage: world.storage) {
      do throws(RescueError) {
        return try salvage(
          input, asOf: start, to: output, contract, known: known, isResult: isResult,
          preparing: prepare)
      } catch {
        // Where nobody can look, it is not because of a change that this failed.
        guard (try? start.lasts(in: input, storage: world.storage)) == false else { throw error }
        try world.requireGoingOn()
      }
    }
    // To copy it takes less time than to read all of it.
    let copy = try InputFiles(momentOf: input, world: world)
    return try salvage(
      copy, asOf: .settled(of: copy, in: world), to: output, contract, known: known,
      isResult: isResult, preparing: prepare)
  }

  /// Makes a salvage of what was found in its input.
  typealias Preparation =
    (Reconstruction, [RunRecord.InputDigest]) throws(RescueError) -> Salvage

  private mutating func salvage(
    _ input: InputFiles, asOf start: DatabaseState, to output: SalvageOutput,
    _ contract: Contract?, known: OutsideKnowledge?, isResult: Bool,
    preparing prepare: Preparation
  ) throws(RescueError) -> SalvageReport {
    let storage = world.storage
    var report = try rescue.withEvidence(
      input, note: { notes.inputs = $0 },
      examine: { () throws(RescueError) in
        try examine(input, contract, known: known, verifying: false).examination
      },
      { examination, digests throws(RescueError) in
        let report = try salvage(
          examination, to: output,
          whenRead: { () throws(RescueError) in
            guard try start.lasts(in: input, storage: storage) else {
              throw RescueError.changing(input.main)
            }
            digests.begin()
          }, preparing: prepare)
        if isResult { notes.note(Change(.addition, "'\(report.output)' was made")) }
        return report
      })
    report.failedReads = notes.examination?.survey.failures.count ?? report.failedReads
    if let damage = input.packing?.damage { report.reservations.append(damage) }
    // Somebody may have written since all was read.
    let isWritten = try DatabaseState(of: input, storage: storage) != start
    report.isInputUnchanged = isWritten || notes.inputs.allSatisfy { $0.before == $0.after }
    return report
  }
}
