// SPDX-License-Identifier: Apache-2.0
// How far a way down a tree may lead.

import SQLiteFormat
import Testing

@Suite struct TreeDescentTests {
  @Test func `a way to the lowest level that a tree can have is followed to its end`() {
    let end = TreeWalk.descend(from: 0) { $0 < TreeWalk.depthMax ? .below($0 + 1) : .arrived }
    #expect(end == TreeWalk.depthMax)
  }

  @Test func `a way that goes on below that leads nowhere`() {
    let end = TreeWalk.descend(from: 0) { $0 <= TreeWalk.depthMax ? .below($0 + 1) : .arrived }
    #expect(end == nil)
  }

  @Test func `a way in a circle leads nowhere`() {
    #expect(TreeWalk.descend(from: 1) { .below(3 - $0) } == nil)
  }

  @Test func `a way that no child is on leads nowhere`() {
    #expect(TreeWalk.descend(from: 0) { $0 < 3 ? .below($0 + 1) : .lost } == nil)
  }
}
