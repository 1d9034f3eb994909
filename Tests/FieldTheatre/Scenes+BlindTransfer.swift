// SPDX-License-Identifier: Apache-2.0
// What transfers and tools do to files, by somebody who has not read how causes are judged.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Scene {
  static let blindTransfer: [Scene] = [
    Scene(
      "scp stalls after five blocks of 32 KiB", to: .browser, is: .cutOff, .damagedLossy,
      lost: .some, right: .salvage, half: .blind, untold: .atPageInWAL
    ) { try $0.damage(.truncate(bytes: 5 * 32768)) },
    Scene(
      "a chat server takes attachments up to 100,000 bytes", to: .chat, is: .cutOff,
      .damagedLossy, lost: .some, right: .salvage, half: .blind
    ) { try $0.damage(.truncate(bytes: 100_000)) },
    Scene(
      "a serial line loses the last block of a weather logger's file", to: .sensors, is: .cutOff,
      .damagedLossy, lost: .some, right: .salvage, half: .blind
    ) { stage in
      try stage.write("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
      try stage.write(Program.fill("note", "i, 'note ' || i || \(Program.prose)", count: 40).sql)
      try stage.remember()
      try stage.damage(.truncate(bytes: stage.database.contents().count - 1024 - 300))
    },
    Scene(
      "dd stops before the end: conv=noerror is missing, and bs=1M was too large", to: .scanArchive,
      is: .cutOff, .damagedLossy, lost: .some, right: .salvage, half: .blind
    ) { try $0.damage(.truncate(bytes: 1 << 20)) },
    Scene(
      "a text editor took it for Latin-1 and saved it as UTF-8", to: .till,
      is: .transferredAsText, .damagedIntact, lost: .nothing, right: .salvage, half: .blind
    ) { stage in
      try stage.change { file in
        file = Bytes(file.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] })
      }
    },
    Scene(
      "a deploy script runs tr -d '\\r' over every file", to: .efShop, is: .transferredAsText,
      .damagedLossy, lost: .some, right: nil, half: .blind
    ) { stage in
      // The first byte of every leaf is gone, that of the schema's too: no row has its table left.
      try stage.change { $0 = $0.filter { $0 != 0x0D } }
    },
    Scene(
      "FTP in text mode from a machine with other line ends", to: .wiki, is: .transferredAsText,
      .damagedIntact, lost: .nothing, right: .salvage, half: .blind
    ) { try $0.damage(.crlf) },
    Scene(
      "a proxy leaves the sizes of chunks in a download", to: .ebooks, is: .bytesInFront,
      .damagedIntact, lost: .nothing, right: .salvage, half: .blind
    ) { stage in
      try stage.change { file in
        var result = Bytes()
        for start in stride(from: 0, to: file.count, by: 0x8000) {
          let chunk = file[start..<min(file.count, start + 0x8000)]
          result += Bytes("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk
          result += Bytes("\r\n".utf8)
        }
        file = result + Bytes("0\r\n\r\n".utf8)
      }
    },
    Scene(
      "an old archive kept it as MacBinary", to: .fitness, is: .bytesInFront, .damagedIntact,
      lost: .nothing, right: .salvage, half: .blind
    ) { stage in
      try stage.change { file in
        var head = Bytes(repeating: 0, count: 128)
        head.replaceSubrange(1..<11, with: [9] + Bytes("health.db".utf8))
        head.replaceSubrange(65..<73, with: Bytes("BINA????".utf8))
        head.setBigEndian(UInt32(file.count), at: 83)
        head.setBigEndian(0x9A3F_1C20, at: 91)
        file = head + file
      }
    },
    Scene(
      "dd wrote it with seek=1: a sector of zeros stands in front", to: .sensors,
      is: .bytesInFront, .damagedIntact, lost: .nothing, right: .salvage, half: .blind
    ) { stage in try stage.change { $0 = Bytes(repeating: 0, count: 512) + $0 } },
    Scene(
      "XMODEM loses one block of 128 bytes", to: .till, is: .bytesInFront, .damagedLossy,
      lost: .some, right: .salvage, half: .blind
    ) { stage in
      // The row in which it lay has the rest of another in it.
      stage.alteredMax = 3
      let leaf = try stage.pages(of: "line")[8]
      try stage.damage(.leaveOut(offset: (stage.start(ofPage: leaf) + 512) / 128 * 128, count: 128))
    },
  ]
}
