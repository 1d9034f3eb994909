// SPDX-License-Identifier: Apache-2.0
// Can the -shm be the index of the -wal that it lies beside?

import SQLiteFormat

/// It never says that something is wrong: SQLite believes no `-shm` that it finds.
///
/// One of an earlier generation of the log, or without frames, is what a reset, a killed process or a
/// cut of power leave. Only another page size is that of another database beyond doubt: the salts
/// are drawn anew also where a log begins that was deleted or emptied before.
enum LogIndexCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    guard let image = survey.image, let log = image.wal.log,
      let index = image.files.index.flatMap({ LogIndex($0) }), index.isProven,
      !index.canBe(of: log)
    else { return [] }
    return [
      Finding(
        .logIndexStrange,
        index.pageSize == log.pageSize
          ? "the -shm is the index of a log with other salts than the -wal has"
          : "the -shm is the index of a log with pages of \(index.pageSize) bytes, those of the -wal "
            + "have \(log.pageSize)")
    ]
  }
}
