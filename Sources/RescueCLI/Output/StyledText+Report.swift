// SPDX-License-Identifier: Apache-2.0
// A line of a report on the terminal.

import DatabaseRescue

extension StyledText {
  /// A line of a report, whose text is harmless already.
  init(_ line: ReportLine) {
    self = line.spans.reduce(StyledText(verbatim: "")) { text, span in
      text + StyledText(verbatim: span.text, span.style.map { Style($0) })
    }
  }
}

extension StyledText.Style {
  fileprivate init(_ style: ReportLine.Style) {
    self =
      switch style {
      case .heading: .heading
      case .good: .good
      case .warning: .warning
      case .bad: .bad
      case .dim: .dim
      case .emphasised: .emphasised
      }
  }
}
