// SPDX-License-Identifier: Apache-2.0
// Which page size the pages of a file speak for.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct PageVoteTests {
  private func vote(_ bytes: Bytes, reserved: Int = 0) throws -> PageVote {
    try PageVote(MemorySource(bytes), reserved: reserved)
  }

  @Test func `the pages of a sound file agree`() throws {
    let vote = try vote(Specimen().bytes)
    #expect(vote.winner?.geometry.pageSize == 512)
    #expect(vote.winner?.phase == 0)
    #expect(vote.candidates.map(\.pageSize).first == 512)
  }

  @Test func `bytes in front move where pages begin, and not their size`() throws {
    let winner = try vote(Bytes(repeating: 0x41, count: 77) + Specimen().bytes).winner
    #expect(winner?.geometry.pageSize == 512)
    #expect(winner?.phase == 77)
  }

  @Test func `chance and zeros vote for nothing`() throws {
    var random = SeededRandom(seed: 11)
    #expect(try vote(random.bytes(1 << 16)).winner == nil)
    #expect(try vote(Bytes(repeating: 0, count: 1 << 16)).winner == nil)
    #expect(try vote([]).candidates.isEmpty)
  }
}
