// SPDX-License-Identifier: Apache-2.0
// What auto-vacuum databases note about every page: what it is, and who points to it.
//
// Entry: 1 byte kind, 4 bytes parent page.

/// One entry of a pointer-map page.
///
/// File format, section 1.8.
package struct PointerMapEntry: Hashable, Sendable {
  /// What the page is.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// The root of a tree.
    case root = 1
    /// A page of the free list.
    case free = 2
    /// The first page of an overflow chain; the parent is the page of its cell.
    case firstOverflow = 3
    /// A later page of an overflow chain; the parent is the page before it.
    case laterOverflow = 4
    /// A page of a tree that is not its root; the parent is the page above it.
    case child = 5
  }

  /// What the page is.
  package let kind: Kind
  /// Who points to it; nil for roots and free pages.
  package let parent: PageNumber?

  /// Makes an entry.
  package init(_ kind: Kind, parent: PageNumber? = nil) {
    self.kind = kind
    self.parent = parent
  }
}

extension Image {
  /// The pointer-map entry of a page; nil where there is none that makes sense.
  ///
  /// `bytes` is the pointer-map page that ``Geometry/pointerMapPage(for:)`` names.
  package func pointerMapEntry(of page: PageNumber, in bytes: Bytes) -> PointerMapEntry? {
    guard let map = geometry.pointerMapPage(for: page), map < page else { return nil }
    let offset = 5 * (page.number - map.number - 1)
    guard offset >= 0, offset + 5 <= min(bytes.count, geometry.usable),
      let kind = PointerMapEntry.Kind(rawValue: bytes[offset]),
      let parent = bytes.big32(at: offset + 1)
    else { return nil }
    return PointerMapEntry(kind, parent: PageNumber(parent))
  }
}
