// SPDX-License-Identifier: Apache-2.0
// What is kept of damaged pages: one memory for all who read those of a database again.

import SQLiteFormat
import Synchronization

/// The readings of damaged pages, each of which is taken apart once, whoever asks for it, as far
/// as there is room.
///
/// A sound page is read again as fast as it is looked up, and not kept.
final class PageMemory: Sendable {
  /// How many readings are kept at most.
  private static let keptMax = 2048
  /// How many bytes their pages have together at most.
  private static let byteCountMax = 32 << 20

  /// A page, and as what it is read.
  struct Question: Hashable {
    /// The page.
    let page: PageNumber
    /// Whether it is read as one of a table with rowids, or of an index; nil for either.
    let isTable: Bool?
  }

  private struct State {
    var answers: [Question: PageReading?] = [:]
    var byteCount = 0
  }

  private let state = Mutex(State())

  /// What was read of a page, nil where that was nothing; nil itself where it is not kept.
  func answer(to question: Question) -> PageReading?? {
    state.withLock { $0.answers[question] }
  }

  /// What could be read of a damaged page of a table with rowids, or of an index, where it is kept.
  func reading(of page: PageNumber, isTable: Bool) -> PageReading? {
    answer(to: Question(page: page, isTable: isTable)).flatMap(\.self)
  }

  /// Keeps what was read of a page, where it is damaged and there is room.
  func keep(_ reading: PageReading?, for question: Question) {
    if let reading, reading.content.layoutFault == nil { return }
    let byteCount = reading?.page.bytes.count ?? 0
    state.withLock { state in
      guard state.answers.count < Self.keptMax, state.byteCount + byteCount <= Self.byteCountMax
      else { return }
      state.byteCount += byteCount
      state.answers[question] = .some(reading)
    }
  }
}
