// SPDX-License-Identifier: Apache-2.0
// Was the log written behind the last page of the database?

import SQLiteFormat

enum AttachedLogCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    survey.startOfAttachedLog.map { start in
      [
        Finding(
          .logAttached,
          "from byte \(start) on, the file is its own log, which SQLite does not see there: it is read "
            + "as its -wal")
      ]
    } ?? []
  }
}
