// SPDX-License-Identifier: Apache-2.0
// Which pages follow one another.

@testable import Diagnosis
import SQLiteFormat
import Testing

@Suite struct PlaceOrderTests {
  private func spans(_ ranges: [ClosedRange<Int64>]) -> [LeafSpan] {
    ranges.enumerated().compactMap { index, range in
      PageNumber(index + 2).map {
        LeafSpan(
          page: $0, first: .rowID(range.lowerBound), last: .rowID(range.upperBound),
          rows: range.count)
      }
    }
  }

  @Test func `pages in their order are all chosen`() {
    #expect(PlaceOrder.rowID.chain(spans([1...10, 11...20, 30...40])) == [0, 1, 2])
  }

  @Test func `one page out of its place does not outweigh the others`() {
    #expect(PlaceOrder.rowID.chain(spans([1...10, 500...510, 11...20, 21...30])) == [0, 2, 3])
  }

  @Test func `of two pages with the same rows the heavier one is chosen`() {
    #expect(PlaceOrder.rowID.chain(spans([1...10, 11...14, 11...30, 31...40])) == [0, 2, 3])
  }

  @Test func `without an order everything is chosen`() {
    #expect(PlaceOrder.key(nil).chain(spans([30...40, 1...10])) == [0, 1])
    #expect(!PlaceOrder.key(nil).isKnown)
  }

  @Test func `spans overlap where a row of one can stand among those of the other`() {
    let spans = spans([1...10, 10...20, 11...20])
    #expect(PlaceOrder.rowID.overlap(spans[0].places, spans[1].places))
    #expect(!PlaceOrder.rowID.overlap(spans[0].places, spans[2].places))
  }
}
