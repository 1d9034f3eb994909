// SPDX-License-Identifier: Apache-2.0
// One incident: what happened to whose database, and what is then to be said and done.

import Diagnosis
import RescueTestSupport
import Testing

/// An incident, with what is true of it.
struct Scene: Sendable, CustomTestStringConvertible {
  /// When a scene was written.
  enum Half: String, Sendable, CaseIterable {
    /// From reports of incidents alone, before there was anything to pass it.
    case before
    /// Later, knowing how causes are judged.
    case after
    /// Last, of other programs and moments, to see whether what is known holds for more.
    case last
    /// By somebody who has not read how causes are judged, to see whether what is known holds.
    case blind
  }

  /// What of the rows is gone.
  enum Lost: Sendable {
    /// Every row is there after the right option.
    case nothing
    /// Some rows are gone, and the rest is there.
    case some
    /// No row is in the file.
    case everything
  }

  /// What happened, in a line.
  let name: String
  /// Whose database it is.
  let program: Program
  /// When it was written.
  var half = Half.before
  /// Why nothing in the files tells what happened; nil where something does.
  var untold: String?
  /// What happened to the file; nil where nothing did, or nothing that a file can show.
  let cause: CauseKind?
  /// What else is true of it, where several things happened.
  let also: Set<CauseKind>
  /// What is to be said of it in a word.
  let verdict: Verdict
  /// What of the rows is gone.
  let lost: Lost
  /// What is right to do; nil where the right file has to be asked for.
  let right: RecoveryOption.Kind?
  /// Carries it out.
  let play: @Sendable (Stage) throws -> Void

  var testDescription: String { "\(program.title): \(name)" }

  init(
    _ name: String, to program: Program, is cause: CauseKind?, also: Set<CauseKind> = [],
    _ verdict: Verdict, lost: Lost, right: RecoveryOption.Kind?, half: Half = .before,
    untold: String? = nil, _ play: @escaping @Sendable (Stage) throws -> Void
  ) {
    self.name = name
    self.program = program
    self.half = half
    self.untold = untold
    self.cause = cause
    self.also = also
    self.verdict = verdict
    self.lost = lost
    self.right = right
    self.play = play
  }
}
