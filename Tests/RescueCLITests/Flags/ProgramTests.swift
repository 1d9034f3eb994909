// SPDX-License-Identifier: Apache-2.0
// What the program says of itself.

import DatabaseRescue
import RescueTestSupport
import Testing

@testable import RescueCLI

@Suite struct ProgramTests {
  @Test func `the version and its day are those of the newest changes`() throws {
    let changes = try Checkout.root.appending("CHANGELOG.md").contents()
    let heading = try #require(
      String(decoding: changes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("## ") })
    let months = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September",
      "October", "November", "December",
    ]
    let day = heading.dropFirst("## \(Program.version) (".count).dropLast().split(separator: "-")
      .compactMap { Int($0) }
    try #require(heading.hasPrefix("## \(Program.version) (") && day.count == 3)
    #expect(Program.date == "\(months[day[1] - 1]) \(day[2]), \(day[0])")
  }
}
