// SPDX-License-Identifier: Apache-2.0
// A sound database beside the newest backup that was made of it: did it go back in time?

import Diagnosis
import SQLiteFormat

extension Rescue {
  /// The examination of a database, with what the newest good backup of it gives to say.
  ///
  /// Of a damaged database nothing is said: what it has lost is not what an app has deleted.
  ///
  /// - Throws: ``RescueError`` when the vault or the file cannot be looked at.
  func descended(
    _ examination: Examination, of database: FilePath, vault: FilePath?, code: SupportCode
  ) throws(RescueError) -> Examination {
    let survey = examination.survey
    guard examination.verdict.isStructureSound, let header = survey.header else {
      return examination
    }
    let folder = try RescueFolder(of: database, storage: world.storage)
    let tables = survey.userTables.map { name, tree in
      StateMark.Table(name: name, rows: tree.records, contentHash: nil)
    }
    let mark = StateMark(
      changeCounter: header.changeCounter, sequences: survey.sequences, tables: tables)
    let lineage = try Descent(of: folder.database, in: vault ?? folder.backups, world.storage)
      .lineage(of: mark, since: world.now()) { () throws(RescueError) in
        let content = try BackupContent(examination.reconstruction, supportCode: code)
        var whole = content.mark
        whole.changeCounter = mark.changeCounter
        return (whole, content)
      }
    return examination.adding(lineage?.findings.compactMap(\.finding) ?? [])
  }
}

extension BackupContent.FoundThing {
  /// The finding that was written down; nil where this version has none of that code.
  fileprivate var finding: Finding? {
    FindingCode(name: code).map { Finding($0, message, severity: severity) }
  }
}
