public struct GuardReport: Sendable { public enum Remedy: Sendable { case restore, stop } }
import Diagnosis
extension Rescue {
  func guardMigration(
    of database: FilePath, _ contract: Contract?, vault: FilePath?,
    command: [FilePath], timeout: Duration?, wait: Duration,
    onFailure: (GuardReport) throws(RescueError) -> GuardReport.Remedy, _ notes: inout RunNotes
  ) throws(RescueError) -> GuardReport { fatalError() }
}
