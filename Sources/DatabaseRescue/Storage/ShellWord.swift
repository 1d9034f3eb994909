// SPDX-License-Identifier: Apache-2.0
// A word as a shell wants it, so that a command in a message can be pasted.

import Diagnosis
import SQLiteFormat

/// A word as a shell wants it.
package enum ShellWord {
  /// The word, quoted where a shell would read anything into it.
  package static func quoted(_ bytes: [UInt8]) -> String {
    guard let text = String(validating: bytes, as: UTF8.self),
      !text.unicodeScalars.contains(where: \.isObeyed)
    else { return "$'" + bytes.map(escaped).joined() + "'" }
    let isPlain = bytes.allSatisfy { isAlphanumeric($0) || plain.contains($0) }
    guard !isPlain || bytes.isEmpty else { return text }
    return "'" + text.replacingScalar("'", by: #"'\''"#) + "'"
  }

  /// A word of text, quoted where a shell would read anything into it.
  package static func quoted(_ text: String) -> String { quoted(Array(text.utf8)) }

  private static let plain = Set("-_./,:@%+=".utf8)

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }

  /// A byte between `$'` and `'`, as bash and zsh read it.
  private static func escaped(_ byte: UInt8) -> String {
    if isAlphanumeric(byte) || plain.contains(byte) || byte == UInt8(ascii: " ") {
      return String(UnicodeScalar(byte))
    }
    let octal = String(byte, radix: 8)
    return "\\" + String(repeating: "0", count: 3 - octal.count) + octal
  }
}

extension FilePath {
  /// The path as a shell wants it, and as no command takes it for a flag.
  package var shellQuoted: String {
    ShellWord.quoted(bytes.first == UInt8(ascii: "-") ? Array("./".utf8) + bytes : bytes)
  }

  /// The command that moves what is there out of the way; nothing is overwritten by it.
  package var movingAway: String {
    "mv -n \(shellQuoted) \(adding(suffix: ".set-aside").shellQuoted)"
  }
}
