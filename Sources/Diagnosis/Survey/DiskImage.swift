// SPDX-License-Identifier: Apache-2.0
// Images of disks and volumes, in which databases lie as files.

import SQLiteFormat

/// A kind of file system or disk image, by the bytes that it puts at a fixed place.
struct DiskImage {
  /// Its name in words.
  let name: String
  private let offset: Int
  private let bytes: Bytes

  private static let all = [
    DiskImage(name: "ext2, ext3 or ext4", offset: 1080, bytes: [0x53, 0xEF]),
    DiskImage(name: "F2FS", offset: 1024, bytes: [0x10, 0x20, 0xF5, 0xF2]),
    DiskImage(name: "FAT", offset: 54, bytes: Bytes("FAT1".utf8)),
    DiskImage(name: "FAT", offset: 82, bytes: Bytes("FAT32".utf8)),
    DiskImage(name: "exFAT", offset: 3, bytes: Bytes("EXFAT   ".utf8)),
    DiskImage(name: "NTFS", offset: 3, bytes: Bytes("NTFS    ".utf8)),
    DiskImage(name: "APFS", offset: 32, bytes: Bytes("NXSB".utf8)),
    DiskImage(name: "HFS+", offset: 1024, bytes: Bytes("H+".utf8)),
    DiskImage(name: "ISO 9660", offset: 32769, bytes: Bytes("CD001".utf8)),
    DiskImage(name: "QCOW", offset: 0, bytes: Bytes("QFI".utf8) + [0xFB]),
    DiskImage(name: "GUID partitions", offset: 512, bytes: Bytes("EFI PART".utf8)),
    DiskImage(name: "a boot sector", offset: 510, bytes: [0x55, 0xAA]),
  ]

  /// The kind of image that a file is, as its first bytes tell; nil for none.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  static func name(of source: any PageSource) throws(ReadFailure) -> String? {
    let head = try source.read(at: 0, count: 1 << 15 | 16)
    guard !head.matches(DatabaseHeader.magic) else { return nil }
    return all.first { head.matches($0.bytes, at: $0.offset) }?.name
  }
}
