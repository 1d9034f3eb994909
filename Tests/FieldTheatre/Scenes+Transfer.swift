// SPDX-License-Identifier: Apache-2.0
// What transfers do to files: cut off, converted as text, with something in front.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Scene {
  static let transfer: [Scene] = [
    Scene(
      "the upload to support stops at 70 %", to: .messenger, is: .cutOff, .damagedLossy,
      lost: .some, right: .salvage
    ) { try $0.damage(.truncatePercent(70)) },
    Scene(
      "a mail gateway cuts it at 64 KiB", to: .room, is: .cutOff, .damagedLossy, lost: .some,
      right: .salvage
    ) { try $0.damage(.truncate(bytes: 65536)) },
    Scene(
      "the target of a copy is full: it ends at a block", to: .packages, is: .cutOff,
      .damagedLossy, lost: .some, right: .salvage
    ) { try $0.damage(.truncate(bytes: 20 * 4096)) },
    Scene(
      "only the first kilobytes arrive", to: .django, is: .cutOff, .damagedLossy, lost: .some,
      right: .salvage
    ) { try $0.damage(.truncate(bytes: 5000)) },
    Scene(
      "FTP in text mode turns line feeds into carriage return and line feed", to: .django,
      is: .transferredAsText, .damagedIntact, lost: .nothing, right: .salvage
    ) { try $0.damage(.crlf) },
    Scene(
      "git turns carriage return and line feed into line feeds", to: .texts,
      is: .transferredAsText, .damagedLossy, lost: .some, right: .salvage
    ) { stage in
      try stage.change { file in
        var (result, previous) = (Bytes(), UInt8(0))
        for byte in file {
          if byte == 0x0A, previous == 0x0D { result.removeLast() }
          result.append(byte)
          previous = byte
        }
        file = result
      }
    },
    Scene(
      "a web form reads it as UTF-8 text", to: .room, is: .transferredAsText, .damagedLossy,
      lost: .everything, right: nil
    ) { stage in
      try stage.change { $0 = Bytes(String(decoding: $0, as: UTF8.self).utf8) }
    },
    Scene(
      "the header of a multipart upload stands in front of it", to: .mediaManager,
      is: .bytesInFront, .damagedIntact, lost: .nothing, right: .salvage
    ) { stage in
      let head =
        "------WebKitFormBoundary7MA4YWxkTrZu0gW\r\nContent-Disposition: form-data; name=\"file\"; "
        + "filename=\"app.db\"\r\nContent-Type: application/octet-stream\r\n\r\n"
      try stage.change { $0 = Bytes(head.utf8) + $0 }
    },
    Scene(
      "an editor has put a byte order mark in front of it", to: .flashcards, is: .bytesInFront,
      .damagedIntact, lost: .nothing, right: .salvage
    ) { stage in try stage.change { $0 = [0xEF, 0xBB, 0xBF] + $0 } },
    Scene(
      "a tool for old backups wrote a header of its own before it", to: .room, is: .bytesInFront,
      .damagedIntact, lost: .nothing, right: .salvage
    ) { stage in
      try stage.change { $0 = Bytes("ANDROID BACKUP\n5\n0\nnone\n".utf8) + $0 }
    },
    Scene(
      "a resumed download begins in the middle", to: .automation, is: .bytesInFront,
      .damagedLossy, lost: .some, right: nil
    ) { stage in try stage.change { $0 = Bytes($0.dropFirst(6 * 4096)) } },
  ]
}

extension Program {
  /// A program whose texts have line ends of every kind.
  static let texts = Program(
    title: "a collector of mails", table: "mail",
    steps: [
      "CREATE TABLE mail (id INTEGER PRIMARY KEY, subject TEXT, body TEXT)",
      "CREATE INDEX mail_subject ON mail (subject)",
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 600)
      INSERT INTO mail SELECT i, 'subject ' || (i * 7919 % 10007),
        replace(hex(zeroblob(40)), '0000', char(13, 10) || 'line ' || i) FROM n
      """,
    ])
}
