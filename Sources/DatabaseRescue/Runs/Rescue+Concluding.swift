// SPDX-License-Identifier: Apache-2.0
// What is done after a run that is logged already, such as the writing of its report.

extension Rescue {
  /// Does what is to be done after a run, and notes in the log where it fails.
  ///
  /// - Throws: Whatever `body` throws.
  package func concluding<Value, Result>(
    _ result: RunResult<Value>, _ body: () throws(RescueError) -> Result
  ) throws(RescueError) -> Result {
    do throws(RescueError) {
      return try body()
    } catch {
      note(error.exitStatus, of: result)
      throw error
    }
  }

  /// Notes in the log that a run ended in another status than its line says.
  package func note<Value>(_ exit: Int32, of result: RunResult<Value>) {
    // The run failed already: a log that cannot be written must not hide why.
    try? RunLog(in: world).append(RunCorrection(result.code, exit: exit))
  }
}
