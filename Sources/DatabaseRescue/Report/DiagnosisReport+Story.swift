// SPDX-License-Identifier: Apache-2.0
// What happened to a file, and when: the parts of the HTML page that tell a story.

import Diagnosis

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DiagnosisReport {
  /// What to do, in a sentence or two; nil where there is nothing to do.
  var advice: String? {
    if let cause = causes.first, cause.confidence > .possible { return cause.now }
    if verdict == .unreadable, let group = findings.first { return group.meaning.sentence }
    switch verdict {
    case .healthy: return options.first.map(\.summary.sentence)
    case .newer, .outdated: return options.first.map(\.summary.sentence)
    case .drifted, .damagedIntact, .damagedLossy, .unreadable:
      guard let option = options.first else { return nil }
      return "Keep the file as it is, back it up, and then: \(option.summary)."
    }
  }

  /// What happened, how sure that is, and why.
  var causeParts: [HTML] {
    if isCauseUnknown == true { return unknownParts }
    return causes.map { cause in
      """
      <div class="card">
      <h3>\(cause.title.capitalizedFirst) \(tag(of: cause.confidence))</h3>
      <p>\(cause.happened.sentence)</p>
      \(list("Because", cause.evidence))\(list("But", cause.against))\
      <p><strong>Now:</strong> \(cause.now)</p>
      <p><strong>From now on:</strong> \(cause.differently)</p>
      </div>

      """
    }
  }

  private var unknownParts: [HTML] {
    let possible: [HTML] = causes.map { cause in
      """
      <li><strong>\(cause.title.capitalizedFirst)</strong>: \(cause.happened.sentence) \
      <span class="dim">\((cause.evidence + cause.against.map { "but " + $0 }).joined(separator: "; ").sentence)</span></li>

      """
    }
    let out: [HTML] = (ruledOut ?? []).map { cause in
      "<li><strong>\(cause.title.capitalizedFirst)</strong>: \(cause.reason.sentence)</li>\n"
    }
    return [
      """
      <p>The cause is not known: what is in the files fits none of those that are looked for better \
      than the others.</p>

      """,
      possible.isEmpty ? "" : "<h3>What it may have been</h3>\n<ul>\n\(possible)</ul>\n",
      out.isEmpty ? "" : "<h3>What it was not</h3>\n<ul>\n\(out)</ul>\n",
    ]
  }

  private func tag(of confidence: Confidence) -> HTML {
    let style =
      switch confidence {
      case .certain: "good"
      case .likely: "warning"
      case .possible: "dim"
      }
    return "<span class=\"tag \(style)\">\(confidence.words)</span>"
  }

  private func list(_ label: String, _ items: [String]) -> HTML {
    guard !items.isEmpty else { return "" }
    let shown: [HTML] = items.map { "<li>\($0.sentence)</li>\n" }
    return "<p class=\"dim\">\(label):</p>\n<ul>\n\(shown)</ul>\n"
  }

  /// When the files of the set changed.
  var timelineParts: [HTML] {
    var pairs: [(String, HTML)] = moments.map { moment in
      (
        Date(timeIntervalSince1970: moment.time.rounded(.down)).formatted(.iso8601),
        "\(moment.what)"
      )
    }
    if pairs.isEmpty { return [] }
    pairs.append((created.formatted(.iso8601), "this diagnosis was made"))
    if let wal = facts.wal, wal != "none" { pairs.append(("In the -wal", "\(wal)")) }
    if let journal = facts.journal, journal != "none" {
      pairs.append(("In the -journal", "\(journal)"))
    }
    if let writer = facts.writtenBy { pairs.append(("Last written by", "SQLite \(writer)")) }
    return [.list(pairs)]
  }

  /// What is known from around the files, and of the tools.
  var environmentParts: [HTML] {
    [
      .list(
        environment.map { ($0.name, "\($0.words)") }
          + [("Tool", "\(tool)"), ("Libraries", "\(libraries)")])
    ]
  }
}
