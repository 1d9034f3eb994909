// SPDX-License-Identifier: Apache-2.0
// A run from its start to its line in the log, whatever happens in it.

import Diagnosis
import SQLiteFormat

extension Rescue {
  /// Carries out a run: whatever happens in it, it gets a support code and a line in the log.
  func run<Value>(
    _ operation: SupportCode.Operation, on file: FilePath?,
    _ body: (inout Run) throws(RescueError) -> Value
  ) throws(RescueError) -> RunResult<Value> {
    let started = world.now()
    defer { world.progress(.ended) }
    var run = Run(operation, unattended: unattended, world: world)
    do throws(RescueError) {
      let value = try body(&run)
      let wasInterrupted = world.isCancelled()
      // What was worked out while reads were refused is worth nothing. What was changed is told.
      if wasInterrupted, run.notes.changes.isEmpty { throw RescueError.interrupted }
      if wasInterrupted { run.notes.noteInterruption() }
      run.notes.stage = .done
      let code = run.notes.published ?? run.notes.code()
      return RunResult(
        value: value, code: code, started: started, inputs: run.notes.inputs,
        logFailure: log(run.notes.record(code, started: started, file: file), beside: file),
        wasInterrupted: wasInterrupted && !run.notes.hasHeededStop)
    } catch {
      // Work that is stopped fails in many ways.
      let isStopped =
        world.isCancelled() && run.notes.changes.allSatisfy { $0.extent == .addition }
        && (error.change?.extent ?? .nothing) == .nothing
      let cause = isStopped ? RescueError.interrupted : error
      var failure = cause.concluded(with: run.notes.changes)
      run.notes.outcome = cause.kind.outcome
      run.notes.exitStatus =
        cause.kind == .interrupted ? world.cancelledStatus() : cause.exitStatus
      let code = run.notes.code()
      failure.code = code
      // The run failed already: a log that cannot be written must not hide why.
      _ = log(run.notes.record(code, started: started, file: file), beside: file)
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

extension Run {
  /// What the calls of the library are made on, in this run: it notes nothing of what that does.
  var rescue: Rescue { Rescue(world: world, unattended: unattended) }
}
