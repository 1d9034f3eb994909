// SPDX-License-Identifier: Apache-2.0
// A run from its start to its line in the log, whatever happens in it.

package import Diagnosis
import SQLiteFormat

extension Rescue {
  /// Carries out a run: whatever happens in it, it gets a support code and a line in the log.
  package func run<Value>(
    _ operation: SupportCode.Operation, on file: FilePath?,
    _ body: (inout RunNotes) throws(RescueError) -> Value
  ) throws(RescueError) -> RunResult<Value> {
    let started = world.now()
    defer { world.progress(.ended) }
    var notes = RunNotes(operation, unattended: unattended, world: world)
    do throws(RescueError) {
      let value = try body(&notes)
      let wasInterrupted = world.isCancelled()
      // What was worked out while reads were refused is worth nothing. What was changed is told.
      if wasInterrupted, notes.changes.isEmpty { throw RescueError.interrupted }
      if wasInterrupted { notes.noteInterruption() }
      notes.stage = .done
      let code = notes.published ?? notes.code()
      return RunResult(
        value: value, code: code, started: started, inputs: notes.inputs,
        logFailure: log(notes.record(code, started: started, file: file), beside: file),
        wasInterrupted: wasInterrupted && !notes.hasHeededStop)
    } catch {
      // Work that is stopped fails in many ways.
      let isStopped =
        world.isCancelled() && notes.changes.allSatisfy { $0.extent == .addition }
        && (error.change?.extent ?? .nothing) == .nothing
      let cause = isStopped ? RescueError.interrupted : error
      var failure = cause.concluded(with: notes.changes)
      notes.outcome = cause.kind.outcome
      notes.exitStatus =
        cause.kind == .interrupted ? world.cancelledStatus() : cause.exitStatus
      let code = notes.code()
      failure.code = code
      // The run failed already: a log that cannot be written must not hide why.
      _ = log(notes.record(code, started: started, file: file), beside: file)
      throw failure
    }
  }

  private func log(_ record: RunRecord, beside file: FilePath?) -> RescueError? {
    do {
      try RunLog.apart(from: file, in: world).append(record)
      return nil
    } catch {
      return error
    }
  }
}
