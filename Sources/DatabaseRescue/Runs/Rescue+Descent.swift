// SPDX-License-Identifier: Apache-2.0
// A sound database beside the newest backup that was made of it: did it go back in time?

import Diagnosis
import SQLiteFormat

extension Run {
  /// What was examined, with what the newest good backup gives to say, which is noted.
  ///
  /// - Throws: ``RescueError`` of the kind `.interrupted` when somebody wishes the run to stop.
  mutating func descended(
    _ examined: Examined, of database: InputFiles, vault: FilePath?
  ) throws(RescueError) -> Examination {
    let storage = world.storage
    let found = try rescue.descended(
      examined.examination, of: database.main, vault: vault, code: notes.code()
    ) { () throws(RescueError) in
      try examined.state?.looksSame(in: database, storage: storage) ?? true
    }
    notes.take(found)
    return found
  }
}

extension Rescue {
  /// The examination of a database, with what the newest good backup of it gives to say.
  ///
  /// Of a damaged database nothing is said: what it has lost is not what an app has deleted. Where
  /// the backups cannot be looked at, or the files are not any more what was examined, as `isCurrent`
  /// tells, that is not checked: a backup may have been made in between.
  ///
  /// - Throws: ``RescueError`` of the kind `.interrupted` when somebody wishes the run to stop.
  func descended(
    _ examination: Examination, of database: FilePath, vault: FilePath?, code: SupportCode,
    isCurrent: () throws(RescueError) -> Bool = { true }
  ) throws(RescueError) -> Examination {
    guard examination.verdict.isStructureSound, let header = examination.survey.header else {
      return examination
    }
    var passedOver: [Backup] = []
    do throws(RescueError) {
      let folder = try RescueFolder(of: database, storage: world.storage)
      let lineage = try Descent(of: folder.database, in: vault ?? folder.backups, world.storage)
        .lineage(
          of: examination.mark(header), since: world.now(), passOver: { passedOver.append($0) }
        ) { () throws(RescueError) in
          let content = try BackupContent(examination.reconstruction, supportCode: code)
          var whole = content.mark
          whole.changeCounter = header.changeCounter
          return (whole, content)
        }
      let findings = lineage?.findings.compactMap(\.finding) ?? []
      if !findings.isEmpty, try !isCurrent() {
        return examination.adding([], unchecked: [.succession("it changes while it is looked at")])
      }
      return examination.adding(
        findings,
        unchecked: passedOver.prefix(1).map {
          .succession("backup \($0.name.id), which is newer, is damaged or cannot be read")
        })
    } catch  where error.kind != .interrupted {
      return examination.adding(
        [], unchecked: [.succession("its backups cannot be looked at")])
    }
  }
}

extension Examination {
  /// By what the state of the database is told from others, without digests of its rows.
  fileprivate func mark(_ header: DatabaseHeader) -> StateMark {
    let tables = survey.userTables.map { name, tree in
      StateMark.Table(name: name, rows: tree.records, contentHash: nil)
    }
    return StateMark(
      changeCounter: header.changeCounter, sequences: survey.sequences, tables: tables)
  }
}

extension Unchecked {
  fileprivate static func succession(_ reason: String) -> Unchecked {
    Unchecked(.succession, of: nil as String?, because: reason)
  }
}

extension BackupContent.FoundThing {
  /// The finding that was written down; nil where this version has none of that code.
  fileprivate var finding: Finding? {
    FindingCode(name: code).map { Finding($0, message, severity: severity) }
  }
}
