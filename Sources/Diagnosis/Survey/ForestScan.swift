// SPDX-License-Identifier: Apache-2.0
// The scan of all trees: on several cores where that gives what one core would.

import Dispatch
import SQLiteFormat
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The scan of all trees of a database.
///
/// What the trees own is decided in their order: a page that two of them lead to belongs to the
/// first. Where no two do, the order does not matter and the trees are scanned side by side; else
/// one after the other. The result is the same.
struct ForestScan {
  /// The most trees at once: each has claims of its own, four bytes a page.
  private static let sideBySideMax = 3
  /// From how many bytes on threads give more than it costs to begin them.
  private static let bytesMin = 1 << 18

  private let image: Image
  private let tasks: [TreeTask]

  /// A scan of these trees.
  init(_ image: Image, _ tasks: [TreeTask]) {
    self.image = image
    self.tasks = tasks
  }

  /// What the trees hold, in their order; their pages are claimed.
  func surveys(_ claims: inout PageClaims) -> [TreeSurvey] {
    if let surveys = surveysSideBySide(&claims) { return surveys }
    return tasks.map { TreeSurvey($0, in: image, claims: &claims) }
  }

  /// The same by several threads; nil, and nothing claimed, where their result could be another.
  private func surveysSideBySide(_ claims: inout PageClaims) -> [TreeSurvey]? {
    let count = min(ProcessInfo.processInfo.activeProcessorCount, Self.sideBySideMax, tasks.count)
    guard count > 1, image.pageCount * image.geometry.pageSize >= Self.bytesMin else { return nil }
    let next = Atomic(0)
    let isStopped = Atomic(false)
    let results = Mutex<(surveys: [TreeSurvey?], claims: PageClaims)>(
      (Array(repeating: nil, count: tasks.count), claims))
    let initial = claims
    DispatchQueue.concurrentPerform(iterations: count) { _ in
      var own = initial
      while !isStopped.load(ordering: .relaxed) {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < tasks.count else { break }
        let survey = TreeSurvey(tasks[index], in: image, claims: &own) {
          !$0.isAstray && !isStopped.load(ordering: .relaxed)
        }
        guard !survey.isAstray else {
          isStopped.store(true, ordering: .relaxed)
          return
        }
        results.withLock { $0.surveys[index] = survey }
      }
      let isDisjoint = results.withLock { $0.claims.merge(own) }
      if !isDisjoint { isStopped.store(true, ordering: .relaxed) }
    }
    guard !isStopped.load(ordering: .relaxed) else { return nil }
    return results.withLock { results in
      claims = results.claims
      return results.surveys.compactMap(\.self)
    }
  }
}

extension TreeSurvey {
  /// Whether the tree has so much against it that what the trees before it own, and how much of
  /// broken chains was followed in them, may matter.
  fileprivate var isAstray: Bool {
    pageFaults.count > FaultList.keptMax || cellFaults.count > FaultList.keptMax
      || pageFaults.first.contains { $0.problem == .claimedTwice }
      || cellFaults.first.contains { $0.problem == .claimedTwice || $0.problem == .chainAstray }
  }
}
