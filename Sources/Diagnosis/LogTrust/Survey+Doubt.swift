// SPDX-License-Identifier: Apache-2.0
// How sure it is that a reading of the files counts: noted in the survey of it.

import SQLiteFormat

extension Survey {
  /// The survey, where the file alone was possible as well.
  var withLogInDoubt: Survey {
    var survey = self
    survey.isLogInDoubt = true
    return survey
  }

  /// The survey, where the file has gone on from the log, and is not whole without it.
  var withLogBehind: Survey {
    var survey = withLogInDoubt
    survey.isLogBehind = true
    return survey
  }

  /// The survey, where what its journal takes back may count as well.
  var withJournalInDoubt: Survey {
    var survey = self
    survey.isJournalInDoubt = true
    return survey
  }

  /// The survey, where a journal of this state of the database, or of a later one, was left out.
  func withoutJournal(of moment: Image.JournalMoment?) -> Survey {
    var survey = self
    survey.lacksOwnJournal = moment == .present
    survey.isBehindJournal = moment == .later
    return survey
  }

  /// The survey, where nothing tells whether the log that is applied is the file's.
  var withLogUntold: Survey {
    var survey = self
    survey.isLogUntold = true
    return survey
  }
}
