// SPDX-License-Identifier: Apache-2.0
// HTML in which nothing that is put between the words of this program can be markup.

/// Markup of this program, in which everything interpolated is text.
///
/// Written as a string literal; what is interpolated may come from a hostile file.
/// ```swift
/// let cell: HTML = "<td>\(table.name)</td>"
/// ```
/// Every element is closed, also those that HTML would close itself.
struct HTML: ExpressibleByStringInterpolation {
  /// The markup.
  private(set) var source: String

  init(stringLiteral value: String) { source = value }

  init(stringInterpolation: StringInterpolation) { source = stringInterpolation.source }

  /// What stands between the quotation marks.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var source = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      source.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    mutating func appendLiteral(_ literal: String) { source += literal }

    mutating func appendInterpolation(_ text: String) { source += HTML.escaped(text) }

    mutating func appendInterpolation(_ html: HTML) { source += html.source }

    mutating func appendInterpolation(_ parts: [HTML]) {
      for part in parts { source += part.source }
    }
  }

  /// Text with everything replaced that could be markup, in text and between quotation marks.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension HTML {
  /// A name from the file: set apart, so that its writing direction stays its own.
  static func name(_ text: String) -> HTML { "<bdi class=\"name\">\(text)</bdi>" }

  /// A command to paste.
  static func command(_ text: String) -> HTML { "<code class=\"command\">\(text)</code>" }

  /// A section of a page with its title; nothing where there is nothing in it.
  static func section(_ title: String, _ parts: [HTML]) -> HTML {
    parts.isEmpty ? "" : "<section>\n<h2>\(title)</h2>\n\(parts)</section>\n"
  }

  /// A table; columns whose titles end in `#` hold numbers.
  ///
  /// On a phone the numbers of a `stacked` table stand below its first column.
  static func table(
    _ titles: [String], _ rows: [[HTML]], omitted: Int = 0, stacked: Bool = false
  ) -> HTML {
    let classes: [HTML] = titles.map { $0.hasSuffix("#") ? " class=\"number\"" : "" }
    let head: [HTML] = zip(titles, classes).map { title, mark in
      "<th scope=\"col\"\(mark)>\(plain(title))</th>"
    }
    let labels: [HTML] = titles.map { title in
      stacked && title.hasSuffix("#") ? "<span class=\"label\">\(plain(title)) </span>" : ""
    }
    let body: [HTML] = rows.map { row in
      let cells: [HTML] = row.indices.map { "<td\(classes[$0])>\(labels[$0])\(row[$0])</td>" }
      return "<tr>\(cells)</tr>\n"
    }
    return """
      <div class="wide"><table class="\(stacked ? "stacked" : "plain")">
      <thead><tr>\(head)</tr></thead>
      <tbody>
      \(body)</tbody>
      </table></div>
      \(more(omitted))
      """
  }

  /// A title without the mark of numbers.
  private static func plain(_ title: String) -> String {
    title.hasSuffix("#") ? String(title.dropLast()) : title
  }

  /// Pairs of a word and what belongs to it.
  static func list(_ pairs: [(String, HTML)]) -> HTML {
    let items: [HTML] = pairs.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>\n" }
    return "<dl>\n\(items)</dl>\n"
  }

  /// How much is left out of a list.
  static func more(_ count: Int) -> HTML {
    count > 0 ? "<p class=\"dim\">… and \(count.grouped) more</p>\n" : ""
  }

  /// A loss, as a word with a colour.
  static func loss(_ loss: RowLoss) -> HTML { mark(loss.words, loss.style) }

  /// A word with a colour.
  static func mark(_ word: String, _ style: StyledText.Style) -> HTML {
    "<span class=\"\(className(of: style))\">\(word)</span>"
  }

  /// The name by which a style sheet knows a style.
  static func className(of style: StyledText.Style) -> String {
    switch style {
    case .heading: "heading"
    case .good: "good"
    case .warning: "warning"
    case .bad: "bad"
    case .dim: "dim"
    case .emphasised: "emphasised"
    }
  }
}
