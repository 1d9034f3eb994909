// SPDX-License-Identifier: Apache-2.0
// The published schemas: what conforms, and what does not.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@testable import DatabaseRescue

@Suite struct PublishedFormatTests {
  private static func diagnosis() throws -> JSON {
    try ReportFixture.report(sample: "zeroed-leaf.db").document
  }

  @Test(arguments: PublishedFormat.allCases)
  func `every schema is JSON of the draft that it names`(_ format: PublishedFormat) throws {
    let schema = try #require(JSON(reading: format.schemaText.utf8))
    #expect(schema["$schema"]?.text == "https://json-schema.org/draft/2020-12/schema")
    // Every reference leads somewhere, and every keyword is one that the check knows.
    let found = SchemaCheck(schema).problems(of: [:])
    #expect(!found.contains { $0.contains("keyword") || $0.contains("not defined") })
    let names = [
      ReportShapes.documents, ReportShapes.parts, LogShapes.documents, LogShapes.parts,
    ].flatMap(\.keys)
    #expect(Set(names).count == names.count, "no two definitions have one name")
  }

  @Test func `a diagnosis, a salvage and a line of the log conform`() throws {
    #expect(PublishedFormat.problems(of: try Self.diagnosis()) == [])
    let account = try ReportFixture.account(sample: "wrong-page.db").document
    #expect(PublishedFormat.problems(of: account) == [])
    #expect(PublishedFormat.problems(of: try RunRecordTests.full().document) == [])
    let line = try #require(JSON(reading: RunRecordTests.line(RunRecordTests.full()).utf8))
    #expect(PublishedFormat.problems(of: line) == [])
  }

  @Test func `a key that is not described is found, wherever it is`() throws {
    var members = try Self.diagnosis().members
    members["news"] = 1
    #expect(PublishedFormat.problems(of: .object(members)) == ["'news' is not described at ''"])
    var tables = try Self.diagnosis()["tables"]?.elements ?? []
    tables[1] = .object(tables[1].members.merging(["name": "workouts"]) { $1 })
    members = try Self.diagnosis().members
    members["tables"] = .array(tables)
    let problems = PublishedFormat.problems(of: .object(members))
    #expect(problems == ["'name' is not described at '.tables[1]'"])
  }

  @Test func `a missing key, another kind of value and another word are found`() throws {
    let diagnosis = try Self.diagnosis().members
    func problems(_ key: String, _ value: JSON?) -> [String] {
      var members = diagnosis
      members[key] = value
      return PublishedFormat.problems(of: .object(members))
    }
    #expect(problems("exit", nil) == [" lacks 'exit'"])
    #expect(problems("exit", "14") == [#".exit is no ["integer"]"#])
    #expect(problems("verdict", "damaged-lossy") == [#".verdict is "damaged-lossy""#])
    #expect(problems("tablesOmitted", -1) == [".tablesOmitted is -1, beyond 0"])
    #expect(problems("options", nil) == [" lacks 'options'"])
    #expect(problems("version", 1) != [] && problems("type", "check") != [])
    #expect(problems("format", "dbrescue.other") == ["there is no format 'dbrescue.other'"])
  }

  @Test(arguments: ShippedPlaybooks.names)
  func `the shipped playbooks conform to what is printed of playbooks`(_ name: String) throws {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    let text = try Data(ShippedPlaybooks.text(named: name))
    let playbook = try decoder.decode(JSON.self, from: text)
    let schema = try #require(JSON(reading: PublishedFormat.playbook.schemaText.utf8))
    #expect(SchemaCheck(schema).problems(of: playbook) == [])
    #expect(SchemaCheck(schema).problems(of: ["title": "x"]) != [])
  }
}
