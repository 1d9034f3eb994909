// SPDX-License-Identifier: Apache-2.0
// Could everything be read that a verdict rests on?

import SQLiteFormat

enum ReadingCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    guard survey.readFailure == nil, let first = survey.failures.first else { return [] }
    return [
      Finding(
        .bytesNotRead, "some bytes of the files cannot be read: \(first.reason)",
        at: .init(offset: first.offset))
    ]
  }
}
