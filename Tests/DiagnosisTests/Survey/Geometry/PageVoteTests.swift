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

  @Test func `where large pages and small ones speak alike, overflow chains tell`() throws {
    let scratch = try ScratchFolder()
    let file = scratch["large.db"]
    try DatabaseBuilder(
      pageSize: 2048, ["CREATE TABLE t (a)", "INSERT INTO t VALUES (hex(zeroblob(900)))"]
    ).build(at: file)
    let large = try file.contents().suffix(2048)
    let small = try Specimen(
      "CREATE TABLE t (a)", "INSERT INTO t VALUES (hex(zeroblob(200)))",
      "INSERT INTO t SELECT a FROM t", "INSERT INTO t SELECT a FROM t",
      "INSERT INTO t VALUES (zeroblob(9000))")
    let leaves = small.pages(of: "t", "leaf").prefix(3).flatMap { small.bytes[small[page: $0]] }
    let chain = small.pages(of: "t", "overflow").flatMap { small.bytes[small[page: $0]] }
    #expect(try vote(Bytes(large + leaves)).winner == nil)
    #expect(try vote(Bytes(large + leaves + chain)).winner?.geometry.pageSize == 512)
  }

  @Test func `chance and zeros vote for nothing`() throws {
    var random = SeededRandom(seed: 11)
    #expect(try vote(random.bytes(1 << 16)).winner == nil)
    #expect(try vote(Bytes(repeating: 0, count: 1 << 16)).winner == nil)
    #expect(try vote([]).candidates.isEmpty)
  }
}
