// SPDX-License-Identifier: Apache-2.0
// A run on its way. What it does are methods of this value, in the folders that know how.

import Diagnosis

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A run on its way: what it is carried out in, and what it has learned so far.
///
/// Whatever finds out or changes something for a run is a mutating method of it, and notes that
/// before it goes on: where a run fails, its line in the log says what came before.
struct Run {
  /// Files, time, chance and environment.
  private(set) var world: World
  /// What it has learned so far.
  var notes: RunNotes

  /// Whether nobody is there to ask.
  var unattended: Bool { notes.unattended }

  init(_ operation: SupportCode.Operation, unattended: Bool, world: World) {
    self.world = world
    notes = RunNotes(operation, unattended: unattended, world: world)
  }

  /// Carries out a step and notes how it ended and how long it took.
  mutating func step<Value>(
    _ name: PlainName, at stage: SupportCode.Stage,
    _ body: (inout Run) throws(RescueError) -> Value
  ) throws(RescueError) -> Value {
    notes.stage = stage
    let start = world.now()
    func note(_ outcome: PlainName) {
      notes.note(
        RunRecord.Step(
          name: name, outcome: outcome, seconds: world.now().timeIntervalSince(start)))
    }
    do {
      let value = try body(&self)
      note("done")
      return value
    } catch {
      note("failed")
      throw error
    }
  }

  /// Goes on where nobody can stop the run any more: what was begun must come to its end.
  mutating func unstoppably<Value>(
    _ body: (inout Run) throws(RescueError) -> Value
  ) throws(RescueError) -> Value {
    let stoppable = world
    world = world.unstoppable
    defer { world = stoppable }
    return try body(&self)
  }
}
