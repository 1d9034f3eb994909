// SPDX-License-Identifier: Apache-2.0
// The page around a report: head, style sheet, verdict, support code, foot.

import Diagnosis

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension HTML {
  /// A whole page.
  ///
  /// The policy in its head forbids scripts and every other file, so that even a
  /// hostile name that slipped through could do nothing.
  static func page(title: String, tool: String, _ body: [HTML]) -> String {
    let page: HTML = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="referrer" content="no-referrer" />
      <meta name="generator" content="\(tool)" />
      <meta http-equiv="Content-Security-Policy" \
      content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; img-src data:" />
      <title>\(title)</title>
      <style>
      \(HTML(stringLiteral: styleSheet + PageMap.styleSheet))</style>
      </head>
      <body>
      <main>
      \(body)<footer>Made by \(tool). This report holds names, counts and sizes, and no content of \
      any row.</footer>
      </main>
      </body>
      </html>

      """
    return page.source
  }

  /// The top of a page: what it is about and the one thing to know.
  static func masthead(
    kind: String, file: String, created: Date, word: String, style: StyledText.Style,
    meaning: String, _ details: [HTML]
  ) -> HTML {
    """
    <header>
    <p class="kind">\(kind) · \(created.formatted(.iso8601))</p>
    <h1><bdi>\(file)</bdi></h1>
    <div class="verdict \(className(of: style))">
    <p class="word">\(word)</p>
    <p class="meaning">\(meaning.sentence)</p>
    \(details)</div>
    </header>

    """
  }

  /// The support code: to copy, and to read aloud group by group.
  static func supportCode(_ code: SupportCode) -> HTML {
    let groups: [HTML] = code.description.split(separator: "-").dropFirst().map { group in
      let words = group.map { spoken[$0] ?? String($0) }.joined(separator: " ")
      return "<li><b>\(String(group))</b> <span>\(words)</span></li>\n"
    }
    return """
      <section class="code">
      <h2>Support code</h2>
      <p class="symbols">\(code.description)</p>
      <p>To read it aloud, say it group by group:</p>
      <ol>
      \(groups)</ol>
      </section>

      """
  }

  /// The symbols of a support code as they are said on the telephone.
  private static let spoken: [Character: String] = [
    "0": "zero", "1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six",
    "7": "seven", "8": "eight", "9": "nine", "A": "Alfa", "B": "Bravo", "C": "Charlie",
    "D": "Delta", "E": "Echo", "F": "Foxtrot", "G": "Golf", "H": "Hotel", "J": "Juliett",
    "K": "Kilo", "M": "Mike", "N": "November", "P": "Papa", "Q": "Quebec", "R": "Romeo",
    "S": "Sierra", "T": "Tango", "V": "Victor", "W": "Whiskey", "X": "X-ray", "Y": "Yankee",
    "Z": "Zulu",
  ]

  /// The files that were looked at, with their digests.
  static func inputs(_ files: [ReportedFile]) -> [HTML] {
    guard !files.isEmpty else { return [] }
    let rows: [[HTML]] = files.map { file in
      [
        .name(file.name), file.sha256.map { "<code class=\"digest\">\($0)</code>" } ?? "not taken",
        state(file.isUnchanged),
      ]
    }
    return [table(["File", "SHA-256", "After the run"], rows)]
  }

  private static func state(_ isUnchanged: Bool?) -> HTML {
    switch isUnchanged {
    case true?: mark("the same", .good)
    case false?: mark("changed by somebody else", .bad)
    case nil: "not looked at"
    }
  }
}

extension String {
  /// A message as a sentence: its first letter large, a full stop at its end.
  var sentence: String { capitalizedFirst + "." }
}
