// SPDX-License-Identifier: Apache-2.0
// A line of a report on the terminal.

import DatabaseRescue

extension StyledText {
  /// A line of a report, whose text is harmless already.
  init(_ line: ReportLine) {
    self = line.spans.reduce(StyledText(verbatim: "")) { text, span in
      text + StyledText(verbatim: span.text, span.style)
    }
  }
}
