// SPDX-License-Identifier: Apache-2.0
// The one byte of a frame that is wrong, by what its checksum lacks.
//
// Each number of a page has a weight of its own in the two sums, one of which is odd: so one sum
// tells what the number lacks, were it the damaged one, and the other has to agree. Of the highest
// byte of a number little is left in a sum: there some other byte often does as well, and what else
// is known has to decide.

/// The bits of one byte that are the opposite of what was written.
package struct BitFlip: Hashable, Sendable {
  /// The byte, from the start of the page.
  package let offset: Int
  /// The bits in the byte.
  package let mask: UInt8
}

/// The one byte of a frame that is not what was written.
enum FrameFault: Hashable {
  /// A byte of its page.
  case page(BitFlip)
  /// A byte of its page number or its size of the database, from the start of the frame.
  case header(BitFlip)
  /// A byte of the checksum that it states.
  case checksum(BitFlip)

  /// Whether it costs nothing but the page.
  var isBehindHeader: Bool { if case .header = self { false } else { true } }

  /// Whether it is in the checksum or in the last number before it: the one looks like the other.
  func isAtEnd(ofPage size: Int) -> Bool {
    switch self {
    case .page(let flip): flip.offset >= size - 4
    case .header: false
    case .checksum: true
    }
  }
}

extension WriteAheadLog.Checksum {
  /// The bytes of a frame, of which one may be wrong, with each of which its checksum would be the
  /// next one.
  ///
  /// Where it is proven that the sum which the frame states was meant, that is none of them.
  func faults(in frame: Bytes, isSumProven: Bool) -> [FrameFault] {
    let sum = adding(frame)
    let missing = sum.missing(to: frame, at: 16)
    var found = isSumProven ? [] : sum.sumFaults(in: frame, missing)
    // The weights of the two numbers of a step: what one more in them adds to the two sums.
    var left: Sums = (1, 1)
    var right: Sums = (0, 1)
    let pageStart = WriteAheadLog.frameHeaderSize
    // The first two numbers of the header are summed before the page, and the others are not.
    for offset in Array(stride(from: frame.count - 8, through: pageStart, by: -8)) + [0] {
      for (place, weight) in [(offset, left), (offset + 4, right)] {
        guard let number = number(in: frame, at: place) else { return [] }
        let change = Self.change(missing, weight)
        guard change &* weight.0 == missing.0, change &* weight.1 == missing.1,
          let flip = BitFlip(from: number, to: number &+ change)
        else { continue }
        let byte = place + (isBigEndian ? 3 - flip.offset : flip.offset)
        found.append(
          place < pageStart
            ? .header(BitFlip(offset: byte, mask: flip.mask))
            : .page(BitFlip(offset: byte - pageStart, mask: flip.mask)))
      }
      left = (left.0 &+ left.1, left.0 &+ 2 &* left.1)
      right = (right.0 &+ right.1, right.0 &+ 2 &* right.1)
    }
    return found
  }

  /// The byte of the checksum that a frame states, where that differs from this one in no other.
  private func sumFaults(in frame: Bytes, _ missing: Sums) -> [FrameFault] {
    let flip: BitFlip?
    switch missing {
    case (_, 0): flip = BitFlip(from: sums.0, to: sums.0 &+ missing.0)
    case (0, _): flip = BitFlip(from: sums.1, to: sums.1 &+ missing.1)
    default: flip = nil
    }
    return flip.map { [.checksum($0)] } ?? []
  }

  /// What a number would have to be more for a sum whose weight is odd.
  private static func change(_ missing: Sums, _ weight: Sums) -> UInt32 {
    let (sum, weight) = weight.0 & 1 == 1 ? (missing.0, weight.0) : (missing.1, weight.1)
    // Each step doubles the bits of the inverse that are right; the number itself has three.
    var inverse = weight
    for _ in 0..<4 { inverse = inverse &* (2 &- weight &* inverse) }
    return sum &* inverse
  }
}

extension Bytes {
  /// The bytes with one of them put right.
  func flipping(_ flip: BitFlip) -> Bytes {
    var bytes = self
    if bytes.indices.contains(flip.offset) { bytes[flip.offset] ^= flip.mask }
    return bytes
  }
}

extension BitFlip {
  /// The byte, from the lowest, in which two numbers differ; nil where that is not one.
  fileprivate init?(from number: UInt32, to other: UInt32) {
    let difference = number ^ other
    let byte = difference.trailingZeroBitCount / 8
    guard difference != 0, difference >> (8 * byte) <= 0xFF else { return nil }
    (offset, mask) = (byte, UInt8(truncatingIfNeeded: difference >> (8 * byte)))
  }
}
