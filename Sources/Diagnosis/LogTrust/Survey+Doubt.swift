// SPDX-License-Identifier: Apache-2.0
// How sure it is that a reading of the files counts: noted in the survey of it.

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

  /// The survey, where a journal of this database was left out.
  var withoutOwnJournal: Survey {
    var survey = self
    survey.lacksOwnJournal = true
    return survey
  }

  /// The survey, where nothing tells whether the log that is applied is the file's.
  var withLogUntold: Survey {
    var survey = self
    survey.isLogUntold = true
    return survey
  }
}
