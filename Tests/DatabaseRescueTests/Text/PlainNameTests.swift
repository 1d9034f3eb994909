// SPDX-License-Identifier: Apache-2.0
// A name in a run record is never a path, whatever it was made of.

import DatabaseRescue
import Foundation
import Testing

@Suite struct PlainNameTests {
  @Test(arguments: [
    ("app.db", "app.db"), ("/home/alice/app.db", "app.db"), ("../alice/app.db", "app.db"),
    (#"C:\Users\alice\app.db"#, "app.db"), ("file:///home/alice/app.db", "app.db"),
    ("/home/alice/", ""), ("/", ""), ("", ""), (#"\\server\alice"#, "alice"),
    ("app.db\n/home/alice/x", "x"), ("/home/\u{2215}alice\u{FF0F}x", "x"),
    ("a\nb\u{1B}[31mc\u{7F}\u{202E}d\u{2028}e\u{0}", "ab[31mcde"), ("Grüße 🗄.db", "Grüße 🗄.db"),
  ])
  func `only what follows the last slash stays`(_ text: String, _ name: String) {
    #expect(PlainName(text).description == name)
  }

  @Test func `a long name is cut`() {
    let name = PlainName(String(repeating: "é", count: 5000))
    #expect(name.description.unicodeScalars.count == PlainName.lengthLimit)
  }

  @Test func `a path that is not valid text still gives a name`() {
    let path = FilePath(bytes: Array("/home/alice/".utf8) + [0xFF, 0x2E, 0x64, 0x62])
    #expect(PlainName(path).description == "\\xFF.db")
  }

  @Test func `a name that is read is cleaned too`() throws {
    let data = Data(#"["/home/alice/app.db","plain"]"#.utf8)
    let names = try JSONDecoder().decode([PlainName].self, from: data)
    #expect(names == ["app.db", "plain"])
  }
}
