// SPDX-License-Identifier: Apache-2.0
// The write-ahead log beside a database: which of its frames count.
//
// header               frame
// offset size          offset size
//      0    4 magic         0    4 page number
//      4    4 version       4    4 database size in pages after a commit, else 0
//      8    4 page size     8    8 salts, equal to the header's
//     12    4 sequence     16    8 checksum of everything up to and with this frame
//     16    8 salts        24      the page
//     24    8 checksum

/// What a write-ahead log holds.
///
/// File format, section 4.
package struct WriteAheadLog: Sendable {
  /// One frame: a page as some transaction left it.
  package struct Frame: Hashable, Sendable {
    /// Its place in the log, from 0.
    package let index: Int
    /// The page's number.
    package let page: PageNumber
    /// The size of the database in pages, on the last frame of a transaction.
    package let commitPageCount: Int?
    /// Where the page starts in the log.
    package let offset: Int
    /// The one byte of the page that is wrong, as the checksum proves; nil where none is.
    package internal(set) var flip: BitFlip?
  }

  /// Why the log is not followed to its end.
  package enum Ending: Hashable, Sendable {
    /// The log was read to its end.
    case complete
    /// The salts change to those of a generation before: what follows was left by a restart.
    case olderGeneration
    /// The salts change at the frame at this offset, to some that no restart explains.
    case saltsChanged(offset: Int)
    /// The checksum breaks at the frame at this offset.
    case checksumBroken(offset: Int)
    /// The last frame is cut off.
    case cutOff(offset: Int)
  }

  /// The page size that the log states.
  package let pageSize: Int
  /// The salts that the log states.
  package let salts: [UInt32]
  /// The frames up to the last commit whose checksums hold, oldest first.
  package let committed: [Frame]
  /// Frames behind a break that go on where it interrupts, up to the last commit among them,
  /// oldest first; SQLite does not read them.
  ///
  /// With them come the frames before the break that the last commit there leaves open.
  package internal(set) var continued: [Frame] = []
  /// Those of the continued frames whose own content was damaged, in more than one byte.
  package internal(set) var damaged: [Frame] = []
  /// Whether frames are missing among the continued ones, and nothing tells of which pages they were.
  package internal(set) var missesFrames = false
  /// Frames after them whose checksums hold but that were never committed.
  package internal(set) var uncommitted: [Frame]
  /// Frames after a break, whose checksums say nothing: replicas, never the state.
  package internal(set) var unverified: [Frame]
  /// Frames that are left over from a generation before: what they hold was copied to the
  /// database file before the log began anew.
  package let older: [Frame]
  /// How the valid frames end.
  package let ending: Ending
  /// Transactions that end after a break and of which nothing proves that they go on there.
  package internal(set) var commitsAfterBreak: Int
  /// Whether a frame that is not empty names no page: it may have been the end of a transaction.
  let hasHeadless: Bool
  /// The header; nil where it is lost.
  let header: Bytes?
  /// Whether the checksums add numbers with the high byte first.
  let isBigEndian: Bool

  /// The frames that make up the state of the database, oldest first.
  package var applied: [Frame] { committed + continued }
  /// The size of the database in pages after the last commit; nil without one.
  package var pageCount: Int? { applied.last?.commitPageCount }
  /// The length of the log's header.
  package static let headerSize = 32
  /// The length of a frame's header.
  package static let frameHeaderSize = 24
  /// The first of the two magic numbers; the second, for big-endian checksums, is one more.
  package static let magic: UInt32 = 0x377F_0682
  /// The version of the format: there is only this one.
  package static let version: UInt32 = 3_007_000
}

extension WriteAheadLog.Frame {
  /// Reads the head of a frame, which begins at a byte of those that were read; nil where it names
  /// no page.
  ///
  /// One that was not summed up commits nothing.
  init?(head bytes: Bytes, at start: Int = 0, index: Int, pageSize: Int) {
    guard let page = bytes.big32(at: start).flatMap({ PageNumber($0) }) else { return nil }
    let commit = Int(bytes.big32(at: start + 4) ?? 0)
    let frameSize = WriteAheadLog.frameHeaderSize + pageSize
    self.index = index
    self.page = page
    commitPageCount = commit > 0 && !WriteAheadLog.isUnsummed(bytes, at: start) ? commit : nil
    offset = WriteAheadLog.headerSize + index * frameSize + WriteAheadLog.frameHeaderSize
  }
}

extension WriteAheadLog {
  /// Whether a frame has neither salts nor a checksum.
  ///
  /// So SQLite writes those behind a frame that a transaction wrote once more: the checksums of all come
  /// when it ends.
  static func isUnsummed(_ bytes: Bytes, at start: Int = 0) -> Bool {
    stride(from: start + 8, to: start + frameHeaderSize, by: 4).allSatisfy {
      bytes.big32(at: $0) == 0
    }
  }

  /// A log of whose frames nothing is proven.
  init(pageSize: Int, salts: [UInt32], unverified: [Frame], isBigEndian: Bool) {
    self.pageSize = pageSize
    self.salts = salts
    self.unverified = unverified
    self.isBigEndian = isBigEndian
    header = nil
    hasHeadless = true
    committed = []
    uncommitted = []
    older = []
    ending = .checksumBroken(offset: 0)
    commitsAfterBreak = unverified.count { $0.commitPageCount != nil }
  }
}
