// SPDX-License-Identifier: Apache-2.0
// Scenes that were written knowing how causes are judged: states that look like one cause and are
// another.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Scene {
  static let later: [Scene] = []
}
