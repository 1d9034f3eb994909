// SPDX-License-Identifier: Apache-2.0
// What an app shows instead of opening a database that failed verification.

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

  /// Makes the message for a verdict; of what is gone, a verdict alone says nothing.
  public init(_ verdict: Verdict, code: SupportCode, isBackedUp: Bool) {
    self.init(
      verdict, code: code, isBackedUp: isBackedUp,
      ofUpdate: isBackedUp
        ? "Your data was saved before the update."
        : "The app has stopped, and changes nothing more.")
  }

  /// Makes the message for a guarded migration whose result is refused.
  public init(_ report: GuardReport, code: SupportCode) {
    let body =
      switch report.result {
      case .restored: "Your data is as it was before the update."
      case .unchanged, .kept: "The update has changed nothing. Your data is as it was."
      case .left:
        report.losesData
          ? "The update has removed some of your data. All of it was saved before."
          : "Your data was saved before the update, and no entry is missing."
      }
    self.init(
      report.result == .left ? report.refusal : .drifted, code: code, isBackedUp: true,
      ofUpdate: body)
  }

  private init(
    _ verdict: Verdict, code: SupportCode, isBackedUp: Bool, ofUpdate update: String
  ) {
    self.code = code
    switch verdict {
    case .newer:
      title = "This data was saved by a newer version of the app"
      body = "Nothing is wrong with it. This version cannot open it without harm."
      request = "Please install the newest version of the app."
    case .outdated, .healthy, .drifted:
      title = "The app could not update its data"
      body = update
      request = "Please contact support and read out this code."
    case .damagedIntact, .damagedLossy, .unreadable:
      title = "The app's data file is damaged"
      body =
        "The app has stopped so that nothing gets worse."
        + (isBackedUp ? " A backup exists." : " Please do not uninstall the app.")
      request = "Please contact support and read out this code."
    }
  }

  /// The message as lines of text.
  public var lines: [String] { [title, body, request, "", code.description] }
}
