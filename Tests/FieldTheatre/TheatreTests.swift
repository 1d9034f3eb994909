// SPDX-License-Identifier: Apache-2.0
// The field theatre: incidents as they were reported, played by real writers, and what is then said
// of the files. DBRESCUE_THEATRE says how much is played: `all`, or a part of a scene's name.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Scene {
  /// Every scene.
  static let all: [Scene] =
    interrupted + copied + sidecars + transfer + otherContent + textWritten + medium + writers
    + inTime + migrations + versions + indexes + fullDisk + later + last + mended + blind

  /// The scenes that are played: without a wish, some of each cause.
  static var played: [Scene] {
    switch ProcessInfo.processInfo.environment["DBRESCUE_THEATRE"] {
    case "all"?: return all
    case let part?: return all.filter { $0.testDescription.contains(part) }
    case nil:
      var counts: [CauseKind?: Int] = [:]
      return all.filter { scene in
        counts[scene.cause, default: 0] += 1
        return counts[scene.cause, default: 0] <= 2
      }
    }
  }
}

@Suite(.serialized) struct TheatreTests {
  @Test func `what is said of each incident is true, and what is promised is kept`() throws {
    var program = Playbill()
    for scene in Scene.played {
      do {
        let performance = try ScratchFolder.with { root in
          try Performance(scene, in: root.path)
        }
        program.add(performance)
        for fault in performance.faults { Issue.record("\(scene.testDescription): \(fault)") }
      } catch {
        Issue.record("\(scene.testDescription): cannot be played: \(error)")
      }
    }
    print(program.table)
    // A scene that nothing tells of counts apart, and its right answer is that it is not known.
    if Scene.played.count == Scene.all.count { #expect(program.permilleToldRight >= 950) }
  }

  @Test func `each class of cause is played in several scenes`() {
    for kind in CauseKind.allCases {
      #expect(Scene.all.count { $0.cause == kind } >= 4, "\(kind)")
    }
    #expect(Scene.all.count >= 60)
    #expect(
      Scene.all.count { $0.half == .before || $0.half == .blind } * 2 >= Scene.all.count)
  }
}
