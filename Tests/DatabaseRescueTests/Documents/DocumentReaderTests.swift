// SPDX-License-Identifier: Apache-2.0
// Reading documents into models.

import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct `A document reader` {
  private struct Model: Decodable, Equatable {
    var name: String
    var sizes: [Int]
    var note: String?
    var sides: [Side]?

    enum Side: String, Decodable { case left, right }
  }

  private static let shape = DocumentShape.object(
    ["name": .text, "sizes": .list(.integer), "note": .text, "sides": .list(.text)],
    required: ["name", "sizes"])

  private func read(_ text: String) throws(RescueError) -> Model {
    try DocumentReader.decode(
      Model.self, from: Bytes(text.utf8), named: "m.json5", shape: Self.shape)
  }

  @Test func `a good document is decoded`() throws {
    #expect(
      try read("{name: 'a', sizes: [1, 0xFF], note: null}")
        == Model(name: "a", sizes: [1, 255], note: nil))
  }

  @Test func `the first problem is shown with its place, and the others are counted`() {
    let error = #expect(throws: RescueError.self) { try read("{nam: 'a', sizes: 'x'}") }
    #expect(error?.kind == .invalidInput)
    #expect(
      error?.message
        == "m.json5:1:1: the key 'name' is missing (and 2 more problems)")
    #expect(error?.advice == "correct 'm.json5' and try again")
  }

  @Test func `a value that the type does not take is reported at its place`() {
    let error = #expect(throws: RescueError.self) {
      try read("{name: 'a', sizes: [1],\n sides: ['left',\n 'up']}")
    }
    #expect(error?.message == "m.json5:3:2: the value does not fit here")
  }
}
