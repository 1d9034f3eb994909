// SPDX-License-Identifier: Apache-2.0
// What an app shows instead of opening a database that it must not open.

public import Diagnosis

/// The words of a blocking screen: what happened, what it means, what to do, and the code.
public struct BlockingMessage: Hashable, Sendable {
  /// The headline.
  public let title: String
  /// What it means for the user's data.
  public let body: String
  /// What the user is asked to do.
  public let request: String
  /// The support code.
  public let code: SupportCode

  /// Makes a message of texts of the table.
  init(
    _ title: UserTexts.Key, _ body: UserTexts.Key,
    _ request: UserTexts.Key = .supportRequest, code: SupportCode, _ texts: UserTexts
  ) {
    self.title = texts[title]
    self.body = texts[body]
    self.request = texts[request]
    self.code = code
  }

  /// Makes the message for a verdict; of what is gone, a verdict alone says nothing.
  public init(
    _ verdict: Verdict, code: SupportCode, isBackedUp: Bool, texts: UserTexts = UserTexts()
  ) {
    self.init(
      verdict, code: code, isBackedUp: isBackedUp,
      ofUpdate: isBackedUp ? .updateSavedBody : .updateStoppedBody, texts)
  }

  /// Makes the message for a guarded migration whose result is refused.
  public init(_ report: GuardReport, code: SupportCode, texts: UserTexts = UserTexts()) {
    let body: UserTexts.Key =
      switch report.result {
      case .restored: .updateRestoredBody
      case .unchanged, .kept: .updateUnchangedBody
      case .left where !report.isBackupWhole:
        report.judgement.losesData ? .updateLossUnsavedBody : .updateStoppedBody
      case .left: report.judgement.losesData ? .updateLossBody : .updateLeftBody
      }
    self.init(
      report.result == .left ? report.refusal : .drifted, code: code,
      isBackedUp: report.isBackupWhole,
      ofUpdate: body, texts)
  }

  private init(
    _ verdict: Verdict, code: SupportCode, isBackedUp: Bool, ofUpdate update: UserTexts.Key,
    _ texts: UserTexts
  ) {
    switch verdict {
    case .newer: self.init(.newerTitle, .newerBody, .newerRequest, code: code, texts)
    case .outdated, .healthy, .drifted: self.init(.updateTitle, update, code: code, texts)
    case .damagedIntact, .damagedLossy, .unreadable:
      self.init(
        .damageTitle, isBackedUp ? .damageBackedUpBody : .damageBody, code: code, texts)
    }
  }

  /// The message as lines of text.
  public var lines: [String] { [title, body, request, "", code.description] }
}
