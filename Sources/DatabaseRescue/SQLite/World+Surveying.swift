// SPDX-License-Identifier: Apache-2.0
// Surveys and reconstructions, for which SQLite parses the schema in its sandbox.

import Diagnosis
import SQLiteFormat

extension World {
  /// Surveys a file set.
  ///
  /// - Throws: ``RescueError`` of kind `interrupted` when somebody wished the run to stop.
  func survey(
    _ files: FileSet, known: OutsideKnowledge = OutsideKnowledge()
  ) throws(RescueError) -> Survey {
    do throws(CutShort) {
      return try Survey(files, parser: SandboxParser(), known: known)
    } catch {
      throw .interrupted
    }
  }

  /// Surveys a file set, and puts together what is damaged.
  ///
  /// - Throws: ``RescueError`` of kind `interrupted` when somebody wished the run to stop.
  func reconstruct(
    _ files: FileSet, known: OutsideKnowledge = OutsideKnowledge()
  ) throws(RescueError) -> Reconstruction {
    do throws(CutShort) {
      return try Reconstruction(files, parser: SandboxParser(), known: known)
    } catch {
      throw .interrupted
    }
  }
}
