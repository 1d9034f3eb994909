// SPDX-License-Identifier: Apache-2.0
// Was the file transferred as if it were text?

import SQLiteFormat

enum TransferCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    if let transfer = survey.transfer { return [finding(of: transfer)] }
    return survey.replacedByte.map { [finding(of: $0)] } ?? []
  }

  private static func finding(of replaced: ReplacedByte) -> Finding {
    Finding(
      .lineEndingsConverted,
      "no \(replaced.name) is left, which every database has: byte \(replaced.standIn) stands in "
        + "their place, and numbers and texts of rows that hold one may be others")
  }

  private static func finding(of transfer: TextTransfer) -> Finding {
    Finding(
      transfer.isText ? .lineEndingsConverted : .pagesMoved, words(for: transfer),
      severity: transfer.isUndone ? .damage : nil)
  }

  private static func words(for transfer: TextTransfer) -> String {
    switch transfer {
    case .lineFeedsExpanded(let removed):
      "every line feed follows a carriage return: the file was transferred as text, and is read "
        + "without \(counted(removed, "carriage return"))"
    case .logLineFeedsExpanded(let removed):
      "every line feed of the -wal follows a carriage return: it was transferred as text, and is read "
        + "without \(counted(removed, "carriage return"))"
    case .bytesWidened(let removed):
      "every byte above 127 became a character of two bytes: the file was transferred as Latin-1 "
        + "text in UTF-8, and is read without the \(counted(removed, "byte")) that came with it"
    case .blocksParted(let block, let added):
      "\(counted(added, "byte was", "bytes were")) put in after each \(block): the file is read "
        + "without them"
    case .chunked(let count):
      "the \(counted(count, "length")) of the chunks in which HTTP sent it stand in it: the file is "
        + "read without them"
    case .carriageReturnsDropped:
      "no carriage return is left before a line feed, and the file is too short: it was "
        + "transferred as text, and what was dropped cannot be put back"
    case .carriageReturnsRemoved:
      "no carriage return is left, and the file is too short: all of them were taken out, also "
        + "the bytes with which pages begin, and cannot be put back"
    case .carriageReturnsReplaced:
      "every carriage return became a line feed, and the file is too short: numbers and texts of "
        + "rows may be others, and what was dropped cannot be put back"
    case .reencoded:
      "every byte that is not UTF-8 was replaced: the file was transferred as UTF-8 text, and "
        + "the bytes are lost"
    case .charactersWidened:
      "every byte above 127 became a character in UTF-8: the file was transferred as text, and "
        + "which bytes they were depends on the code page"
    case .questionMarks:
      "every byte above 127 became a question mark: the file was transferred as ASCII text, and "
        + "the bytes are lost"
    case .sevenBits:
      "no byte above 127 is left, and every database has some: the file was transferred in 7 "
        + "bits, and what the eighth said is lost"
    }
  }
}

extension TextTransfer {
  /// Whether all that it did was undone.
  fileprivate var isUndone: Bool {
    switch self {
    case .lineFeedsExpanded, .logLineFeedsExpanded, .bytesWidened, .blocksParted, .chunked: true
    case .carriageReturnsDropped, .carriageReturnsRemoved, .carriageReturnsReplaced, .reencoded,
      .charactersWidened, .questionMarks, .sevenBits:
      false
    }
  }
}
