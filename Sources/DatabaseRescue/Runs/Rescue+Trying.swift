// SPDX-License-Identifier: Apache-2.0
// What else is found out of a database that was examined: what an option would give, by doing it in a
// private folder and throwing it away, and what is slow or at risk.

package import Diagnosis

extension Rescue {
  /// Says what is slow or at risk in a database that was examined and is sound.
  ///
  /// - Throws: ``RescueError`` when the run was stopped.
  package func advice(on examination: Examination) throws(RescueError) -> AdviceAnswer {
    world.progress(.began(.advising, byteCount: nil))
    defer { world.progress(.ended) }
    do { return try examination.advice() } catch { throw .interrupted }
  }

  /// Salvages a database that needs it into a private folder, to know what that gives.
  ///
  /// - Throws: ``RescueError`` when the run was stopped; what else stands in the way of a trial is
  ///   said in its place.
  func salvageTrials(
    for examination: Examination, _ contract: Contract?
  ) throws(RescueError) -> SalvageTrials {
    var trials = SalvageTrials()
    guard examination.wantsTrial else { return trials }
    do throws(RescueError) {
      trials.salvage = try salvageTrial(for: examination, contract)
      if examination.isOnlyIndexesWrong {
        trials.newIndexes = try salvageTrial(for: examination, nil, believingTables: true)
      }
    } catch {
      try world.requireGoingOn()
      trials.obstacle = error.message
    }
    return trials
  }

  /// Salvages a database with its newest backup into a private folder, where that may give more than
  /// either alone; nil where it cannot.
  ///
  /// - Throws: ``RescueError`` when the run was stopped; what else stands in the way is noted in
  ///   `trials`.
  func backedSalvage(
    of input: InputFiles, _ examination: Examination, _ contract: Contract?,
    offers: [(backup: Backup, offer: BackupOffer)], _ trials: inout SalvageTrials
  ) throws(RescueError) -> BackedSalvage? {
    guard let trial = trials.salvage, let (backup, offer) = offers.first,
      examination.mayGain(by: offer, beyond: trial)
    else { return nil }
    do throws(RescueError) {
      let source = try SalvageBackup(at: backup.path, world: world)
      // What the backup knows of the pages tells whose they are.
      let known = try world.examine(input, contract, known: source.knowledge, verifying: false)
        .examination
      trials.withBackup = BackedTrial(
        backup: offer.name, .success(try salvageTrial(for: known, contract, backups: [source])))
      return BackedSalvage(backup: source, examination: known)
    } catch {
      try world.requireGoingOn()
      trials.withBackup = BackedTrial(backup: offer.name, .failure(.init(error.message)))
      return nil
    }
  }

  private func salvageTrial(
    for examination: Examination, _ contract: Contract?, backups: [SalvageBackup] = [],
    believingTables: Bool = false
  ) throws(RescueError) -> SalvageTrial {
    let folder = try PrivateFolder(world: world)
    var files = RunFiles()
    let output = try SalvageOutput(
      folder.file("trial.db"), replacing: false, in: &files, storage: world.storage)
    let report = try Salvage(
      of: examination.reconstruction, into: contract, backups: backups,
      believesTables: believingTables,
      world: world
    ).run(to: output, code: "")
    if let imbalance = report.imbalance { throw imbalance }
    return SalvageTrial(balances: report.balances, isComplete: report.isComplete)
  }
}
