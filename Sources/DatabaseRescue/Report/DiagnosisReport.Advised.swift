// SPDX-License-Identifier: Apache-2.0
// What is slow or at risk in a sound database, as a report says it.

package import Diagnosis

extension DiagnosisReport {
  /// What is slow or at risk in a sound database.
  package struct Advised: Hashable, Sendable, Encodable {
    /// Why no advice is given, and what to do first; nil where the database was looked at.
    package let withheld: String?
    /// The advice; none where there is nothing to advise.
    package let items: [Item]

    /// One piece of advice.
    package struct Item: Hashable, Sendable, Encodable {
      /// A table, index or column.
      package struct Place: Hashable, Sendable, Encodable {
        /// Its name.
        let object: String
        /// What it has of it.
        let message: String
      }

      /// Which piece it is.
      package let kind: AdviceKind
      /// What it is about, in a few words.
      package let title: String
      /// What was found.
      package let found: String
      /// The figures by name.
      package let figures: [String: Int]
      /// The tables, indexes or columns, the worst first.
      package let places: [Place]
      /// How many are not named, because there are too many.
      package let placesOmitted: Int
      /// What it costs as long as it is there.
      package let costs: String
      /// What to do.
      package let action: String
      /// The statements to run, in order.
      package let sql: [String]
      /// When not to.
      package let unless: String

      private enum CodingKeys: String, CodingKey {
        case kind = "advice"
        case title, found, figures, places, placesOmitted, costs, action, sql, unless
      }
    }

    /// Renders what is advised.
    init(_ answer: AdviceAnswer) {
      withheld = answer.withheld
      items = answer.advice.map { advice in
        Item(
          kind: advice.kind, title: advice.title, found: advice.found, figures: advice.figures,
          places: advice.places.map {
            .init(object: $0.object.shownName, message: $0.message.shownMessage)
          }, placesOmitted: advice.placesOmitted, costs: advice.costs, action: advice.action,
          sql: advice.sql.map { $0.harmless() }, unless: advice.unless)
      }
    }

    /// What is said where there is nothing to list.
    fileprivate var summary: String? {
      withheld
        ?? (items.isEmpty ? "nothing to advise: it is as fast and safe as the file shows" : nil)
    }
  }

  /// The same report with what is advised, where that was asked.
  package func with(_ answer: AdviceAnswer?) -> DiagnosisReport {
    var report = self
    report.advised = answer.map { Advised($0) }
    return report
  }

  /// What is advised, as text.
  var adviceSection: [StyledText] {
    guard let advised else { return [] }
    let title = StyledText(verbatim: "advice", .heading)
    if let summary = advised.summary {
      return (title + StyledText(verbatim: ": \(summary)")).wrapped(to: 80)
    }
    return [title]
      + advised.items.flatMap { item in
        var columns = TextTable([.text(""), .prose("")], isIndented: true)
        func add(_ label: String, _ words: String) {
          columns.add([StyledText(verbatim: label, .dim), StyledText(verbatim: words)])
        }
        add("", item.found)
        for place in item.places { add("", "\(place.object): \(place.message)") }
        if item.placesOmitted > 0 { add("", "… and \(item.placesOmitted.grouped) more") }
        add("costs", item.costs)
        add("do", item.action)
        for statement in item.sql { add("", statement) }
        add("unless", item.unless)
        return [StyledText(verbatim: item.title, .emphasised)] + columns.lines()
      }
  }

  /// What is advised, as parts of the HTML page.
  var adviceParts: [HTML] {
    guard let advised else { return [] }
    if let summary = advised.summary { return ["<p>\(summary.sentence)</p>\n"] }
    return advised.items.map { item in
      let places: [HTML] = item.places.map { "<li>\(HTML.name($0.object)): \($0.message)</li>\n" }
      let list: HTML =
        places.isEmpty ? "" : "<ul>\n\(places)</ul>\n\(HTML.more(item.placesOmitted))"
      let sql: HTML =
        item.sql.isEmpty ? "" : "<p>\(HTML.command(item.sql.joined(separator: "\n")))</p>\n"
      return """
        <div class="card">
        <h3>\(item.title.capitalizedFirst)</h3>
        <p>\(item.found.sentence)</p>
        \(list)<p><strong>Costs:</strong> \(item.costs)</p>
        <p><strong>Do:</strong> \(item.action)</p>
        \(sql)<p class="dim"><strong>Unless:</strong> \(item.unless)</p>
        </div>

        """
    }
  }
}
