// SPDX-License-Identifier: Apache-2.0
// The fields of many records, located one after the other without memory of their own.

/// The fields of one record after the other, in the same memory.
package struct LocatedFields {
  /// How many there are.
  package private(set) var count = 0
  private var fields: ContiguousArray<Record.Field> = []

  /// A place for fields.
  package init() {}

  /// Locates the fields of a record; false where it is none.
  @inline(__always)
  package mutating func read(_ range: Range<Int>, of bytes: Span<UInt8>) -> Bool {
    var number = 0
    do {
      _ = try bytes.fields(ofRecordIn: range) { field in
        if number < fields.count { fields[number] = field } else { fields.append(field) }
        number += 1
      }
      count = number
      return true
    } catch {
      return false
    }
  }

  /// Takes the fields of a record, which may lie behind its bytes.
  package mutating func read(_ record: Record) {
    count = record.fieldCount
    fields.removeAll(keepingCapacity: true)
    fields.append(contentsOf: record.fields)
  }

  /// A field, from 0; there must be so many.
  @inline(__always)
  package subscript(index: Int) -> Record.Field { fields[index] }
}

extension LocatedFields {
  /// The digest of the entry that an index should have for a row.
  package func digest(of index: IndexShape, in bytes: Span<UInt8>, rowID: Int64?) -> UInt64 {
    index.key(of: self, in: bytes, rowID: rowID).digest
  }

  /// The digest of the fields at some places as they are stored; nil where they have more than
  /// `lengthMax` bytes together, or are not all there.
  package func digest(of places: [Int], in bytes: Span<UInt8>, lengthMax: Int) -> UInt64? {
    var key = KeyHash()
    var length = 0
    for place in places {
      guard place < count else {
        key.addMissing()
        continue
      }
      let field = fields[place]
      length += field.length
      guard length <= lengthMax, field.end <= bytes.count else { return nil }
      key.addStored(field, of: bytes)
    }
    return key.digest
  }

  /// The digests of the fields of an index entry: of all but the last, and of all.
  package func digests(in bytes: Span<UInt8>) -> (start: UInt64, whole: UInt64) {
    var key = KeyHash()
    for index in 0..<max(0, count - 1) { key.add(fields[index], of: bytes) }
    let start = key.digest
    if count > 0 { key.add(fields[count - 1], of: bytes) }
    return (start, key.digest)
  }

  /// The last field, where it is an integer: the rowid that an index entry ends with.
  package func lastInteger(in bytes: Span<UInt8>) -> Int64? {
    guard count > 0 else { return nil }
    let field = fields[count - 1]
    switch field.serialType {
    case 1...6: return bytes.signed(at: field.offset, width: field.length)
    case 8: return 0
    case 9: return 1
    default: return nil
    }
  }
}
