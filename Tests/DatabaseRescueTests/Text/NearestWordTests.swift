// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DatabaseRescue

@Suite struct `The nearest word` {
  @Test(arguments: [
    ("verdct", "verdict"), ("Verdict", "verdict"), ("vredict", "verdict"), ("steps", nil),
    ("rows_lots", "rows_lost"), ("", nil), ("xyz", nil),
  ])
  func `it is what was meant, or nothing`(word: String, nearest: String?) {
    #expect(NearestWord.to(word, in: ["verdict", "rows_lost", "damage"]) == nearest)
  }

  @Test(arguments: [
    ("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("kitten", "sitting", 3),
    ("chekc", "check", 1), ("restroe", "restore", 1), ("ca", "abc", 3),
  ])
  func `mistakes are counted`(left: String, right: String, distance: Int) {
    #expect(NearestWord.distance(from: left, to: right) == distance)
    #expect(NearestWord.distance(from: right, to: left) == distance)
  }

  @Test func `it is none for a word that is like none`() {
    let commands = ["check", "diagnose", "log", "restore"]
    #expect(NearestWord.to("frobnicate", in: commands) == nil)
    #expect(NearestWord.to("x", in: ["y", "n"]) == nil)
    #expect(NearestWord.to("lgo", in: commands) == "log")
  }
}
