// SPDX-License-Identifier: Apache-2.0
// What is said of a file that was sent as text.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct TransferCheckTests {
  @Test func `carriage returns that came in are counted`() throws {
    let specimen = try Specimen()
    let count = specimen.bytes.count { $0 == 0x0A }
    let finding = try #require(specimen.with(.crlf).said(.lineEndingsConverted).first)
    #expect(
      finding.message
        == "every line feed follows a carriage return: the file was transferred as text, and is read "
        + "without \(count) carriage return\(count == 1 ? "" : "s")")
    #expect(finding.severity == .damage)
    #expect(specimen.said(.lineEndingsConverted).isEmpty)
  }

  /// Something that was done to a file, and what is said of it.
  struct Transfer: CustomTestStringConvertible {
    let testDescription: String
    let says: String
    var code: FindingCode = .lineEndingsConverted
    var severity: Finding.Severity = .loss
    let change: @Sendable (Bytes) -> Bytes

    init(
      _ name: String, says: String, _ code: FindingCode = .lineEndingsConverted,
      _ severity: Finding.Severity = .loss, change: @escaping @Sendable (Bytes) -> Bytes
    ) {
      (testDescription, self.says, self.code, self.severity) = (name, says, code, severity)
      self.change = change
    }
  }

  /// The bytes of blocks with something behind each.
  private static func parted(_ bytes: Bytes, _ block: Int, _ added: [UInt8]) -> Bytes {
    stride(from: 0, to: bytes.count, by: block).reduce(into: Bytes()) { result, start in
      result += bytes[start..<min(start + block, bytes.count)] + added
    }
  }

  /// The bytes without the carriage returns before line feeds; the others as they are, or others.
  private static func unpaired(_ bytes: Bytes, others: UInt8 = 0x0D) -> Bytes {
    Bytes(
      bytes.indices.compactMap { index in
        if bytes[index] != 0x0D { return bytes[index] }
        return bytes.dropFirst(index + 1).first == 0x0A ? nil : others
      })
  }

  static let transfers = [
    Transfer(
      "Latin-1 in UTF-8", says: "became a character of two bytes", .lineEndingsConverted, .damage
    ) {
      Bytes(String(String.UnicodeScalarView($0.map { Unicode.Scalar($0) })).utf8)
    },
    Transfer("lines of 76", says: "1 byte was put in after each 76", .lineEndingsConverted, .damage)
    {
      parted($0, 76, [0x0A])
    },
    Transfer("sectors of 520", says: "8 bytes were put in after each 512", .pagesMoved, .damage) {
      parted($0, 512, [1, 2, 3, 4, 5, 6, 7, 8])
    },
    Transfer("chunks", says: "the 1 length of the chunks", .pagesMoved, .damage) {
      Bytes((String($0.count, radix: 16) + "\r\n").utf8) + $0 + Bytes("\r\n0\r\n\r\n".utf8)
    },
    Transfer(
      "no carriage return before line feeds", says: "no carriage return is left before a line feed"
    ) {
      unpaired($0)
    },
    Transfer("no carriage return", says: "all of them were taken out") {
      Bytes($0.filter { $0 != 0x0D })
    },
    Transfer("line feeds alone", says: "every carriage return became a line feed") {
      unpaired($0, others: 0x0A)
    },
    Transfer("UTF-8", says: "every byte that is not UTF-8 was replaced") {
      Bytes(String(decoding: $0, as: UTF8.self).utf8)
    },
    Transfer("ASCII", says: "every byte above 127 became a question mark") {
      Bytes($0.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") })
    },
    Transfer("seven bits", says: "no byte above 127 is left") { Bytes($0.map { $0 & 0x7F }) },
  ]

  @Test(arguments: transfers)
  func `what was done to a file is said, and whether it could be undone`(
    _ transfer: Transfer
  ) throws {
    let bytes = try ScratchFolder.with { scratch in
      let path = scratch["lines.db"]
      try Specimen.buildLines(at: path)
      return try path.contents()
    }
    let survey = Survey(main: transfer.change(bytes))
    let finding = try #require(TransferCheck.findings(in: survey).first)
    #expect(finding.code == transfer.code && finding.severity == transfer.severity)
    #expect(finding.message.contains(transfer.says), "\(finding.message)")
    #expect(TransferCheck.findings(in: Survey(main: bytes)).isEmpty)
  }
}
