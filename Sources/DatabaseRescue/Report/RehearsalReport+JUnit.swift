// SPDX-License-Identifier: Apache-2.0
// A rehearsal as a build server reads it: JUnit's XML, one suite for each start.

package import SQLiteFormat

extension RehearsalReport {
  /// The rehearsal as JUnit's XML.
  package var junit: Bytes {
    let names = cases.map(\.start).reduce(into: [String]()) { names, name in
      if names.last != name { names.append(name) }
    }
    let empty = Dictionary(
      starts.map { ($0.name, $0.seeding?.failures ?? []) }, uniquingKeysWith: { $0 + $1 })
    let suites = names.map { name in
      Self.suite(name, cases.filter { $0.start == name }, empty[name] ?? [])
    }
    let document = """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="dbrescue rehearse"\(Self.counts(cases, names.flatMap { empty[$0] ?? [] }))>
      \(suites.joined(separator: "\n"))
      </testsuites>

      """
    return Bytes(document.utf8)
  }

  private static func suite(
    _ name: String, _ cases: [RehearsalCase], _ empty: [Seeding.Failure]
  ) -> String {
    """
      <testsuite name="\(name.xml)"\(counts(cases, empty))>
    \((cases.map(testCase) + empty.map { skipped($0, name) }).joined(separator: "\n"))
      </testsuite>
    """
  }

  /// A table that no row could be made up for: what a migration does to its rows was not tried.
  private static func skipped(_ failure: Seeding.Failure, _ name: String) -> String {
    """
        <testcase classname="\(name.xml)" name="rows of \(failure.table.text.xml)" time="0.000">
          <skipped message="the table is empty: \(failure.reason.xml)"/>
        </testcase>
    """
  }

  private static func counts(_ cases: [RehearsalCase], _ empty: [Seeding.Failure]) -> String {
    let failures = cases.count { $0.outcome == .failed || $0.outcome == .refused }
    let errors = cases.count { $0.outcome == .impossible }
    let seconds = cases.reduce(0) { $0 + $1.seconds }
    return " tests=\"\(cases.count + empty.count)\" failures=\"\(failures)\" errors=\"\(errors)\" "
      + "skipped=\"\(empty.count)\" time=\"\(time(seconds))\""
  }

  private static func testCase(_ way: RehearsalCase) -> String {
    let head =
      "    <testcase classname=\"\(way.start.xml)\" name=\"\(way.title.xml)\" "
      + "time=\"\(time(way.seconds))\""
    guard way.outcome != .passed else { return head + "/>" }
    let element = way.outcome == .impossible ? "error" : "failure"
    return """
      \(head)>
            <\(element) type="\(way.outcome.rawValue)" message="\((way.problems.first ?? "").xml)">\
      \(way.problems.joined(separator: "\n").xml)</\(element)>
          </testcase>
      """
  }

  private static func time(_ seconds: Double) -> String {
    let thousandths = Int(min(max(0, seconds), 1e9) * 1000)
    let rest = String(thousandths % 1000)
    return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}

extension String {
  /// The text in XML, without what XML cannot hold and terminals obey.
  fileprivate var xml: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "&#10;"
      case _ where scalar.isObeyed || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        result += "?"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
