// SPDX-License-Identifier: Apache-2.0
// Exit codes are a promise: the numbers never change.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import Testing

@testable import RescueCLI

@Suite struct ExitCodeTests {
  @Test func `the numbers are those of the documentation`() {
    #expect(
      ExitCode.allCases.map(\.rawValue)
        == [
          0, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 64, 65, 66, 70, 73, 74,
          75, 77, 129, 130, 143,
        ])
  }

  @Test func `the table of the commands has every number and no other`() throws {
    let page = String(
      decoding: try Checkout.root.appending("docs/commands.md").contents(), as: UTF8.self)
    let numbers = page.matches(of: /\n\| ([0-9]+(?: · [0-9]+)*) \|/).flatMap {
      $0.output.1.split(separator: " · ").compactMap { Int32($0) }
    }
    #expect(numbers == ExitCode.allCases.map(\.rawValue))
  }

  @Test(
    arguments: zip(
      [
        Verdict.healthy, .outdated, .newer, .drifted, .damagedIntact, .damagedLossy, .unreadable,
      ],
      [0, 10, 11, 12, 13, 14, 15] as [Int32]))
  func `a verdict ends in its number`(_ verdict: Verdict, _ number: Int32) {
    #expect(ExitCode(verdict).rawValue == number)
  }

  @Test(arguments: RescueError.Kind.allCases)
  func `an error ends in the number of its kind`(_ kind: RescueError.Kind) {
    #expect(ExitCode(kind).rawValue == kind.rawValue)
  }

  @Test func `meanings differ and are phrases`() {
    let meanings = ExitCode.allCases.map(\.meaning)
    #expect(Set(meanings).count == meanings.count)
    for meaning in meanings { #expect(!meaning.hasSuffix(".")) }
  }
}
