// SPDX-License-Identifier: Apache-2.0
// The plain name of a file.

extension FilePath {
  /// The file as a command in a report without folders names it: `FILE` where its name cannot be told as
  /// it is, for what is left of it may be another file's.
  var nameInCommands: String {
    let plain = PlainName(self).description
    return Array(plain.utf8) == name.bytes ? plain : "FILE"
  }
}

extension PlainName {
  /// Makes the name of a file; one that is no text has its bytes written out, as the path has.
  package init(_ path: FilePath) {
    if let text = String(validating: path.bytes, as: UTF8.self) {
      self.init(text)
    } else {
      self.init(name: path.name.description.unicodeScalars[...])
    }
  }
}
