// SPDX-License-Identifier: Apache-2.0
// What was not checked, as every document lists it.

package import Diagnosis

/// What was not checked, as every document lists it.
package struct ReportedUnchecked: Hashable, Sendable, Encodable {
  /// What kind of thing: a raw value of `Unchecked.Subject`.
  package let subject: String
  /// The table, index or process; nil where it is the database.
  package let object: String?
  /// Why it was not checked.
  package let reason: String
  /// Both in one sentence.
  package let message: String

  /// Makes an entry of a document.
  package init(_ unchecked: Unchecked) {
    subject = unchecked.subject.rawValue
    object = unchecked.object
    reason = unchecked.reason.shownMessage
    message = unchecked.message.shownMessage
  }

  /// As many entries as a document lists, each once.
  package static func list(_ unchecked: [Unchecked]) -> [ReportedUnchecked] {
    var seen: Set<Unchecked> = []
    let each = unchecked.filter { seen.insert($0).inserted }
    return each.prefix(DiagnosisReport.listLimit).map { ReportedUnchecked($0) }
  }
}

extension HTML {
  /// The section of what was not checked; nothing where all was.
  static func unchecked(_ things: [ReportedUnchecked], omitted: Int) -> HTML {
    guard let title = DiagnosisReport.words(forUnchecked: things.count + omitted) else { return "" }
    let items: [HTML] = things.map { "<li>\($0.message)</li>\n" }
    return .section(title.capitalizedFirst, ["<ul>\n\(items)</ul>\n\(HTML.more(omitted))"])
  }
}
