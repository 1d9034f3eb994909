// SPDX-License-Identifier: Apache-2.0
// What every cause is: a function from what was found to a judgement, with its words beside it.

/// The words of a cause that do not depend on the file: each a sentence or more, ready for people.
struct CauseWords: Sendable {
  /// The cause in a few words, as in "most likely: …".
  let title: String
  /// What to do now, and what to say to the user.
  let now: String
  /// What to do differently from now on.
  let differently: String
}

/// A cause: what speaks for and against it in what was found, and how it is worded.
protocol Cause: Sendable {
  /// Which cause it is.
  static var kind: CauseKind { get }
  /// Its words.
  static var words: CauseWords { get }
  /// How it fits what was found.
  static func judgement(of traces: Traces) -> CauseJudgement
}

/// How a cause fits what was found.
enum CauseJudgement: Sendable {
  /// It fits.
  case fits(Fit)
  /// Something proves that it is not the cause: what, in words.
  case ruledOut(String)
  /// Nothing speaks for it, and nothing against it.
  case silent

  /// What speaks for a cause.
  struct Fit: Sendable {
    /// How sure it is.
    let confidence: Confidence
    /// What happened to this file, as a sentence without its first capital and full stop.
    let happened: String
    /// What speaks for it, in the same form.
    var evidence: [String] = []
    /// What speaks against it, or as well for something else.
    var against: [String] = []
    /// What to do now, where this file needs other words than the cause has.
    var now: String?
    /// What to do differently, where the same holds.
    var differently: String?
  }

  /// It fits, as far as that.
  static func fits(
    _ confidence: Confidence, _ happened: String, _ evidence: [String?], against: [String] = [],
    now: String? = nil, differently: String? = nil
  ) -> CauseJudgement {
    .fits(
      Fit(
        confidence: confidence, happened: happened, evidence: evidence.compactMap(\.self),
        against: against, now: now, differently: differently))
  }
}

/// A cause of what was found, with what speaks for and against it.
public struct JudgedCause: Hashable, Sendable {
  /// Which cause it is.
  package let kind: CauseKind
  /// How sure it is.
  public let confidence: Confidence
  /// The cause in a few words.
  public let title: String
  /// What happened to this file: lower case, no full stop, no row values.
  public let happened: String
  /// What speaks for it.
  public let evidence: [String]
  /// What speaks against it, or as well for something else.
  public let against: [String]
  /// What to do now, and what to say to the user.
  public let now: String
  /// What to do differently from now on.
  public let differently: String

  init(_ cause: any Cause.Type, _ fit: CauseJudgement.Fit) {
    kind = cause.kind
    confidence = fit.confidence
    title = cause.words.title
    happened = fit.happened
    evidence = fit.evidence
    against = fit.against
    now = fit.now ?? cause.words.now
    differently = fit.differently ?? cause.words.differently
  }
}

/// What happened to a database, as far as what was found tells.
public struct CauseAnswer: Hashable, Sendable {
  /// A cause that something proves wrong.
  public struct RuledOut: Hashable, Sendable {
    /// Which cause it is.
    package let kind: CauseKind
    /// The cause in a few words.
    public let title: String
    /// What proves that it is not the cause.
    public let reason: String
  }

  /// The causes that fit, the surest first; none where nothing is wrong.
  public let causes: [JudgedCause]
  /// The causes that are ruled out, where none is sure.
  public let ruledOut: [RuledOut]
  /// Whether something is wrong of which no cause is at least likely.
  public let isUnknown: Bool

  /// The cause that is at least likely, the surest of them; nil where there is none.
  public var leading: JudgedCause? { causes.first { $0.confidence > .possible } }
}

extension Examination {
  /// Every cause, those first that leave no doubt about what they did to the file.
  private static let causes: [any Cause.Type] = [
    OwnBackupCause.self, OtherContentCause.self, PartOfASetCause.self, EmptiedCause.self,
    EncryptedCause.self, HeldApartCause.self, TransferredAsTextCause.self, BytesInFrontCause.self,
    CutOffCause.self, TextWrittenCause.self, ForeignLogCause.self, OldLogCause.self,
    BadMediumCause.self, CopiedWithoutLogCause.self, InterruptedCause.self, DiskFullCause.self,
    SeveralWritersCause.self, CopiedWhileWrittenCause.self, JournalLostCause.self,
    WALResetCause.self, FullTextOnlyCause.self, IndexesOnlyCause.self, PutBackCause.self,
    MigrationCutOffCause.self, MigrationLeftWrongCause.self, NewerAppCause.self, OlderAppCause.self,
  ]

  /// What happened to the database.
  ///
  /// Reads some pages again: those with something wrong.
  public var causes: CauseAnswer {
    let traces = Traces(of: self)
    let judged = Self.causes.map { ($0, $0.judgement(of: traces)) }
    let fitting = judged.enumerated().compactMap { place, entry -> (Int, JudgedCause)? in
      guard case .fits(let fit) = entry.1 else { return nil }
      return (place, JudgedCause(entry.0, fit))
    }.sorted {
      $0.1.confidence == $1.1.confidence ? $0.0 < $1.0 : $0.1.confidence > $1.1.confidence
    }.map(\.1)
    let isKnown = fitting.contains { $0.confidence > .possible }
    // Where the file itself shows what happened to it, guesses only confuse.
    let shown = isKnown ? fitting.filter { $0.confidence > .possible } : fitting
    let isWrong = !verdict.isStructureSound || verdict == .drifted
    return CauseAnswer(
      causes: shown,
      ruledOut: isKnown || !isWrong
        ? []
        : judged.compactMap { cause, judgement in
          guard case .ruledOut(let reason) = judgement else { return nil }
          return .init(kind: cause.kind, title: cause.words.title, reason: reason)
        }, isUnknown: isWrong && !isKnown)
  }
}

extension Examination {
  /// Whether indexes are all that is wrong, and a table may be older than they are.
  ///
  /// May read all of its rows again.
  var isTableOlder: Bool {
    let wrong = Set(findings.filter { $0.severity >= .damage }.map(\.code))
    return IndexesOnlyCause.isAll(of: wrong)
      && IndexContradictions(findings, survey).isTableOlder
  }
}
