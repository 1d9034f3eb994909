// SPDX-License-Identifier: Apache-2.0
// What happened to a file, as a report says it.

package import Diagnosis
import SQLiteFormat

extension DiagnosisReport {
  /// Something that happened to the file.
  package struct Cause: Hashable, Sendable, Encodable {
    /// Which cause it is.
    package let kind: CauseKind
    /// How sure it is.
    package let confidence: Confidence
    /// The cause in a few words.
    package let title: String
    /// What happened to this file.
    package let happened: String
    /// What speaks for it.
    package let evidence: [String]
    /// What speaks against it, or as well for something else.
    package let against: [String]
    /// What to do now, and what to say to the user.
    package let now: String
    /// What to do differently from now on.
    package let differently: String

    private enum CodingKeys: String, CodingKey {
      case kind = "cause"
      case confidence, title, happened, evidence, against, now, differently
    }

    init(_ cause: JudgedCause) {
      kind = cause.kind
      confidence = cause.confidence
      title = cause.title
      happened = cause.happened.shownMessage
      evidence = cause.evidence.map(\.shownMessage)
      against = cause.against.map(\.shownMessage)
      now = cause.now
      differently = cause.differently
    }
  }

  /// A cause that something proves wrong.
  struct RuledOutCause: Hashable, Sendable, Encodable {
    /// Which cause it is.
    let kind: CauseKind
    /// The cause in a few words.
    let title: String
    /// What proves that it is not the cause.
    let reason: String

    private enum CodingKeys: String, CodingKey {
      case kind = "cause"
      case title, reason
    }

    init(_ cause: CauseAnswer.RuledOut) {
      kind = cause.kind
      title = cause.title
      reason = cause.reason.shownMessage
    }
  }

  /// Something that is known from around the files.
  struct Surrounding: Hashable, Sendable {
    /// What it is.
    let name: String
    /// What is known of it.
    let words: String
  }

  /// What is known from around the files, by its name.
  static func environment(_ around: Circumstances) -> [Surrounding] {
    var found: [Surrounding] = []
    switch around.fileSystem {
    case .local?: found.append(Surrounding(name: "File system", words: "on this machine"))
    case .shared(let name)?: found.append(Surrounding(name: "File system", words: name))
    case nil: break
    }
    if let free = around.freeBytes {
      found.append(Surrounding(name: "Free space", words: free.of("byte")))
    }
    for mark in around.syncMarks {
      found.append(Surrounding(name: "Left by a synchronising program", words: mark))
    }
    if let index = around.logIndex {
      found.append(
        Surrounding(
          name: "Index of the log (-shm)",
          words: "\(index.frameCount.of("frame")), \(index.copiedCount.grouped) of them in the file"
        ))
    }
    return found
  }
}

extension Confidence {
  /// How sure it is, as it stands behind a cause.
  package var words: String { rawValue }
}
