// SPDX-License-Identifier: Apache-2.0
// Names for what is moved away from beside a database.

import Diagnosis

extension Storage {
  /// What the journals beside a database get behind their names when they are moved away, so that they
  /// take the place of nothing.
  func freeAsideEnding(beside database: FilePath) -> String {
    let endings = [LiveUse.firstAsideEnding] + (2...99).map { "\(LiveUse.firstAsideEnding)-\($0)" }
    return endings.first { ending in
      FilePath.journalSuffixes.allSatisfy { suffix in
        let path = database.adding(suffix: suffix + ending)
        return (try? status(of: path)) == .some(.none)
      }
    } ?? endings[0]
  }
}
