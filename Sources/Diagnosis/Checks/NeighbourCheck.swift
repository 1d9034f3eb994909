// SPDX-License-Identifier: Apache-2.0
// Is there another database in the file?

import SQLiteFormat

enum NeighbourCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    survey.neighbours.map { neighbour in
      Finding(.databaseBeside, neighbour.message, at: .init(offset: neighbour.range.lowerBound))
    }
  }
}
