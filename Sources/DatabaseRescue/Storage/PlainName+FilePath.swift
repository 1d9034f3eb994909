// SPDX-License-Identifier: Apache-2.0
// The plain name of a file.

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
