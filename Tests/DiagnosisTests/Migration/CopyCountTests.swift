// SPDX-License-Identifier: Apache-2.0
// Which rows that are alike were copied, and which an app has added.

@testable import Diagnosis
import Testing

@Suite struct CopyCountTests {
  /// A count of contents that come so many times each.
  private func count(_ times: [Int]) -> CopyCount {
    var count = CopyCount()
    for (content, times) in times.enumerated() {
      for _ in 0..<times { count.add(UInt64(content + 1) &* 0x9E37_79B9_7F4A_7C15) }
    }
    return count
  }

  private let ones = Array(repeating: 1, count: 50)

  @Test func `a table that was copied whole is one`() {
    #expect(count([14] + ones.map { 2 * $0 }).hasCopied(since: count([7] + ones)))
    #expect(count([4, 6, 8]).hasCopied(since: count([2, 3, 4])))
    #expect(count([4]).hasCopied(since: count([2])))
  }

  @Test func `rows that were copied among others are`() {
    let half = ones.indices.map { $0 < 25 ? 2 : 1 }
    #expect(count([7] + half).hasCopied(since: count([7] + ones)))
  }

  @Test func `of rows with ids those are copies that something else told apart`() {
    #expect(!count([4, 6, 8]).hasCopied(since: count([2, 3, 4]), haveIDs: true))
    #expect(!count([2]).hasCopied(since: count([1]), haveIDs: true))
    #expect(count([2]).hasCopied(since: count([1])))
    #expect(
      count([14] + ones.map { 2 * $0 }).hasCopied(since: count([7] + ones), haveIDs: true))
  }

  @Test(arguments: [14, 21])
  func `an app adds as many rows again as there were like them by chance`(times: Int) {
    #expect(!count([times] + ones).hasCopied(since: count([7] + ones)))
  }

  @Test func `rows that an app adds again and again are none`() {
    #expect(!count([90] + ones).hasCopied(since: count([1] + ones)))
    #expect(!count([7] + ones).hasCopied(since: count([7] + ones)))
  }

  @Test func `contents that are gone are known also where not all are kept in mind`() {
    func count(_ contents: some Sequence<UInt64>) -> CopyCount {
      var count = CopyCount()
      for content in contents { count.add(content &* 0x9E37_79B9_7F4A_7C15) }
      return count
    }
    let all = Array(1...UInt64(100_000))
    let before = count(all)
    #expect(before.level > 0)
    #expect(count(all.filter { $0 != 5 } + [200_000]).contentsMissing(of: before) >= 1)
    #expect(count(all.dropFirst(2) + [200_000, 200_001, 200_002]).contentsMissing(of: before) >= 1)
    #expect(count(all + [200_000, 200_001]).contentsMissing(of: before) == 0)
    #expect(before.contentsMissing(of: before) == 0)
  }
}
