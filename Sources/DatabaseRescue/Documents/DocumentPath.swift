// SPDX-License-Identifier: Apache-2.0
// The way from the top of a document to one of its values.

/// The way from the top of a document to one of its values, by keys and indexes.
package struct DocumentPath: Hashable, Sendable, ExpressibleByArrayLiteral {
  /// One step of the way.
  package enum Component: Hashable, Sendable, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral
  {
    /// The value of a key.
    case key(String)
    /// An element of a list, from 0.
    case index(Int)

    package init(stringLiteral key: String) { self = .key(key) }
    package init(integerLiteral index: Int) { self = .index(index) }
  }

  /// The steps from the top.
  package var components: [Component]

  /// Makes a path.
  package init(_ components: [Component] = []) { self.components = components }

  package init(arrayLiteral components: Component...) { self.components = components }

  /// Makes the path that a decoder was at.
  package init(_ codingPath: [any CodingKey]) {
    components = codingPath.map { key in key.intValue.map { .index($0) } ?? .key(key.stringValue) }
  }

  /// The path one step further.
  package func appending(_ component: Component) -> DocumentPath {
    DocumentPath(components + [component])
  }
}
