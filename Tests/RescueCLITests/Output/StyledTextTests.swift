// SPDX-License-Identifier: Apache-2.0
// Text for people stays text, whatever a file puts into it.

import DatabaseRescue
import Testing

@testable import RescueCLI

@Suite struct StyledTextTests {
  @Test func `styles are written only where colours are wanted`() {
    let text: StyledText = "verdict: \("damaged", .bad), \(3) pages"
    #expect(text.plain == "verdict: damaged, 3 pages")
    #expect(text.rendered(colored: false) == text.plain)
    #expect(text.rendered(colored: true) == "verdict: \u{1B}[1;31mdamaged\u{1B}[0m, 3 pages")
  }

  @Test(arguments: [
    ("\u{1B}[31mred", #"\u{1b}[31mred"#), ("a\nb\tc", #"a\nb\tc"#), ("\u{9B}2J", #"\u{9b}2J"#),
    ("\u{7}\u{7F}", #"\u{7}\u{7f}"#), ("abc\u{202E}fed", #"abc\u{202e}fed"#),
    ("naïve 数据 🗄", "naïve 数据 🗄"), ("\r\n", #"\u{d}\n"#),
  ])
  func `what a terminal would obey is made visible`(_ hostile: String, _ shown: String) {
    let text: StyledText = "'\(hostile)'"
    #expect(text.rendered(colored: false) == "'\(shown)'")
    #expect(hostile.harmless().harmless() == hostile.harmless())
  }

  @Test func `our own text is taken as it is`() {
    #expect(("one\ntwo" as StyledText).plain == "one\ntwo")
    let inner: StyledText = "\("x", .good)"
    #expect(("[\(inner)]" as StyledText).rendered(colored: true) == "[\u{1B}[32mx\u{1B}[0m]")
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("数据库", 6, "数据库"),
    ("数据库", 5, "数据…"), ("数据库", 4, "数…"), ("", 0, ""),
  ])
  func `text is cut at columns, not at letters`(_ text: String, _ columns: Int, _ cut: String) {
    let result = ("\(text, .good)" as StyledText).truncated(to: columns)
    #expect(result.plain == cut)
    #expect(result.width <= columns)
  }
}

@Suite struct ShellWordTests {
  @Test(arguments: [
    ("app.db", "app.db"), ("/var/lib/a_b-1.db", "/var/lib/a_b-1.db"), ("", "''"),
    ("my app.db", "'my app.db'"), ("it's", #"'it'\''s'"#), ("$HOME", "'$HOME'"),
    ("naïve.db", "'naïve.db'"), ("a\nb", #"$'a\012b'"#), ("~x", "'~x'"),
  ])
  func `a path can be pasted`(_ path: String, _ quoted: String) {
    #expect(FilePath(path).shellQuoted == quoted)
  }

  @Test func `bytes that are not UTF-8 can be pasted too`() {
    #expect(FilePath(bytes: [0x61, 0xFF, 0x27]).shellQuoted == #"$'a\377\047'"#)
  }

  @Test func `bash reads back what was quoted`() throws {
    guard let bash = Tool("bash") else { return }
    for word in ["it's a $HOME `x` \\ \"q\"", "a\nb\u{1B}", "*?[]{}!#&;|<>()", "-n"] {
      let (status, output) = try bash.run(
        [], on: "printf %s \(ShellWord.quoted(Array(word.utf8)))")
      #expect(status == 0)
      #expect(output == word)
    }
  }
}

@Suite struct JSONTests {
  static let value: JSON = [
    "b": 1, "a": [true, nil, 2.5, "x"], "empty": [:], "none": [],
    "text": "\"\\\n\u{1B}\u{202E}é", "type": "check", "version": 3, "format": "dbrescue.report",
  ]

  @Test func `a document is one line with sorted keys`() {
    #expect(
      Self.value.compact
        == #"{"format":"dbrescue.report","version":3,"type":"check","a":[true,null,2.5,"x"],"b":1,"#
        + #""empty":{},"none":[],"text":"\"\\\n\u001b\u202eé"}"#)
  }

  @Test func `a document is indented for people`() {
    let document: JSON = ["a": [1, 2], "b": ["c": "d"], "e": []]
    #expect(
      document.indented == """
        {
          "a": [
            1,
            2
          ],
          "b": {
            "c": "d"
          },
          "e": []
        }
        """)
  }

  @Test func `numbers that JSON does not know are null, and dates are ISO 8601`() {
    #expect(JSON.number(.nan).compact == "null")
    #expect(JSON.number(.infinity).compact == "null")
    #expect(JSON.date(World.still().now()).compact == #""2026-11-21T00:00:00Z""#)
    #expect(JSON.members(["a": nil, "b": 1]).compact == #"{"b":1}"#)
  }
}
