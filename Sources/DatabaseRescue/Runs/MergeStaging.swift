// SPDX-License-Identifier: Apache-2.0
// The inputs of a merge on their way into private databases: the newest first, whose schema all get.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The inputs of a merge on their way into private databases.
struct MergeStaging {
  let policy: MergePolicy
  /// What the inputs are called, the oldest first.
  let labels: [String]
  /// The schema of the result, once the inputs are there.
  private(set) var schema: FreshSchema?
  /// Whether something was set aside when the inputs were read.
  private(set) var hasQuarantine = false
  /// Why there may be more than what was read.
  private(set) var reservations: [String] = []
  /// What was not checked.
  private(set) var unchecked: [Unchecked] = []
  /// The bytes of all inputs.
  private(set) var byteCount = 0

  private let inputs: [InputFiles]
  private let folder: FilePath
  private let world: World
  /// The digests of the inputs that are there, the oldest first.
  private var digests: [RunRecord.InputDigest] = []

  init(_ inputs: [InputFiles], _ policy: MergePolicy, in folder: FilePath, _ world: World) {
    (self.inputs, self.policy, self.folder, self.world) = (inputs, policy, folder, world)
    let names = inputs.map { PlainName($0.evidence.first ?? $0.main).description }
    labels = names.enumerated().map { place, name in
      names.count { $0 == name } == 1 ? name : "\(name) (\(place + 1))"
    }
  }

  /// What the quarantine file says of itself.
  var meta: [(key: String, value: String)] {
    let files = digests.enumerated().map { place, input in
      ("input.\(place + 1)", "\(input.name) \(input.before.map { "\($0)" } ?? "")")
    }
    return [
      ("tool", "dbrescue"), ("version", Tool.version), ("layout", QuarantineDatabase.layout),
      ("created", world.now().ISO8601Format()), ("schema_source", labels.last ?? ""),
      ("encoding", "UTF-8"),
    ] + files
  }

  /// Salvages an input, as a part of a run that may take over what is learned from it.
  ///
  /// - Returns: The input; and the notes of the run, with what was learned from it, and the digests
  ///   of all inputs that are there.
  mutating func stage(
    _ number: Int, in run: Run
  ) throws(RescueError) -> (input: StagedInput, notes: RunNotes) {
    var run = run
    run.notes.inputs = []
    let world = world
    var files = RunFiles()
    let output = try SalvageOutput(
      folder.appending(FilePath("input-\(number).db")), replacing: false, in: &files,
      storage: world.storage)
    var addition = SchemaAddition()
    var salvage: Salvage?
    let (newer, label) = (schema, labels[number])
    let report = try naming(label) { () throws(RescueError) in
      try run.salvage(
        inputs[number], to: output, known: knowledge(besides: number), isResult: false
      ) { reconstruction, digests throws(RescueError) in
        let found = reconstruction.survey
        addition = newer.map { SchemaAddition(of: found, label, to: $0) } ?? addition
        let target = newer.map { addition.completing($0) }
        var world = world
        if world.outputByteCountMax == nil, let target, target.encoding != found.encoding {
          world.outputByteCountMax = 4 * (found.image?.dataByteCount ?? 0) + (4 << 20)
        }
        let made = Salvage(
          reconstruction, into: target, from: labels.last, inputs: digests, world: world)
        salvage = made
        return made
      }
    }
    guard let salvage else { throw RescueError(.internal, "an input was not read") }
    let survey = salvage.survey
    if let imbalance = report.imbalance { throw imbalance }
    schema = newer.map { addition.completing($0) } ?? FreshSchema(of: survey)
    byteCount += 4 * (survey.image?.dataByteCount ?? 0)
    note(report, of: labels[number])
    digests = run.notes.inputs + digests
    run.notes.inputs = digests
    let staged = StagedInput(
      number: number, label: labels[number], database: output.database.path,
      quarantine: output.quarantine.path, report: report, survey: survey,
      namesMayBeDamaged: salvage.namesMayBeDamaged, addition: addition,
      virtual: newer.map { $0.virtualMappings(from: survey) } ?? [:])
    return (staged, run.notes)
  }

  /// Says which input it is in which there is no database.
  private func naming<Result>(
    _ label: String, _ body: () throws(RescueError) -> Result
  ) throws(RescueError) -> Result {
    do throws(RescueError) {
      return try body()
    } catch {
      guard error.kind == .invalidInput else { throw error }
      throw RescueError(
        .invalidInput, "'\(label)': \(error.message)", meaning: error.meaning,
        advice: error.advice)
    }
  }

  private mutating func note(_ report: SalvageReport, of label: String) {
    hasQuarantine = hasQuarantine || report.quarantine != nil
    unchecked += report.unchecked.filter { !unchecked.contains($0) }
    if !report.isWhollyRead {
      reservations.append("\(label) changed while it was read, or not all of it could be read")
    }
  }

  /// What is known of the schema of an input that has lost its own: that of the newest other one.
  private func knowledge(besides number: Int) -> OutsideKnowledge {
    if let schema { return OutsideKnowledge(schema: { schema.declared.entries }) }
    let others = inputs[..<number].reversed().map { $0 }
    let world = world
    return OutsideKnowledge(schema: {
      for other in others {
        guard let files = try? other.open(in: world), let survey = try? world.survey(files) else {
          continue
        }
        let entries = FreshSchema(of: survey).declared.entries
        if !entries.isEmpty { return entries }
      }
      return []
    })
  }
}

extension TableDescription {
  /// The columns by which rows of a table are compared in a merge; empty where all of them are.
  var mergeKey: [Name] {
    if kind == .virtual { return columns.first.map { [$0.name] } ?? [] }
    return columns.filter { $0.primaryKeyPosition > 0 }
      .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }.map(\.name)
  }
}
