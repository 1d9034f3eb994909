// SPDX-License-Identifier: Apache-2.0
// Who owns each page of a database.

/// What owns a page.
package enum PageOwner: Hashable, Sendable {
  /// The schema table.
  case schema
  /// The list of unused pages.
  case freelist
  /// What holds no content: a pointer map, the lock-byte page, or what lies behind the last page.
  case reserved
  /// A tree, by its position among those of whoever claims its pages.
  case tree(Int)

  /// The position of the tree that it is; nil for another structure.
  package var tree: Int? { if case .tree(let position) = self { position } else { nil } }

  /// The owner as one number, 0 or more.
  fileprivate var code: Int32 {
    switch self {
    case .schema: 0
    case .freelist: 1
    case .reserved: 2
    case .tree(let position): min(Int32(clamping: position + 3), PageClaims.ownerMask)
    }
  }

  /// The owner of a number; nil where it is negative.
  fileprivate init?(code: Int32) {
    guard code >= 0 else { return nil }
    self = code < 3 ? [.schema, .freelist, .reserved][Int(code)] : .tree(Int(code) - 3)
  }
}

/// The place of a page in an overflow chain of which every page is there.
package enum ChainPlace: Int32, Sendable {
  /// Another page follows it.
  case middle = 0x2000_0000
  /// It is the last one.
  case end = 0x4000_0000
}

/// Who owns each page: every page has at most one owner.
///
/// Room is taken for stretches of pages of which one has an owner: a file can have far more pages
/// than it has bytes on the disk.
package struct PageClaims: Sendable {
  /// How many pages a stretch has.
  private static let stretch = 4096
  /// What of a number is the owner; the rest is the place in a chain.
  fileprivate static let ownerMask: Int32 = 0x1FFF_FFFF
  /// The owners by stretches as numbers, or -1; empty where no page of a stretch has one.
  private var owners: [[Int32]]
  private let pageCount: Int
  /// The pages that were found without an owner and left so: what was said of them is another thing
  /// where they have one.
  private var passedOver: Set<PageNumber> = []
  /// How many pages have an owner.
  package private(set) var count = 0
  /// How many pages of chains that turn out broken may still be followed.
  ///
  /// Broken chains of a damaged file are short of the file; in a hostile one, every cell may lead
  /// into the same long chain.
  var patience: Int

  /// Claims for a database of so many pages, none taken.
  package init(pageCount: Int) {
    owners = Array(repeating: [], count: pageCount / Self.stretch + 1)
    self.pageCount = pageCount
    patience = 16 * pageCount
  }

  /// Takes in the claims of others; false when a page has two owners, or an owner here and was passed
  /// over there, or all together have followed more of broken chains than one may.
  package mutating func merge(_ other: PageClaims) -> Bool {
    patience -= 16 * pageCount - other.patience
    guard pageCount == other.pageCount, patience >= 0,
      passedOver.allSatisfy({ other.owner(of: $0) == nil }),
      other.passedOver.allSatisfy({ owner(of: $0) == nil })
    else { return false }
    passedOver.formUnion(other.passedOver)
    for (index, stretch) in other.owners.enumerated() where !stretch.isEmpty {
      if owners[index].isEmpty {
        owners[index] = stretch
        count += stretch.count { $0 >= 0 }
        continue
      }
      for (place, owner) in stretch.enumerated() where owner >= 0 {
        let own = owners[index][place]
        guard own < 0 || own == owner else { return false }
        if own < 0 { count += 1 }
        owners[index][place] = owner
      }
    }
    return true
  }

  /// The owner of a page; nil while nothing claimed it.
  package func owner(of page: PageNumber) -> PageOwner? {
    code(of: page).flatMap { PageOwner(code: $0 & Self.ownerMask) }
  }

  /// The place of a page in the chain of whose owner it is; nil where it is in none that is whole.
  package func chainPlace(of page: PageNumber) -> ChainPlace? {
    code(of: page).flatMap { ChainPlace(rawValue: $0 & ~Self.ownerMask) }
  }

  /// The number of a page; nil where it has no owner.
  private func code(of page: PageNumber) -> Int32? {
    guard page.number <= pageCount else { return nil }
    let stretch = owners[page.number / Self.stretch]
    guard !stretch.isEmpty else { return nil }
    let code = stretch[page.number % Self.stretch]
    return code < 0 ? nil : code
  }

  /// Notes the places of claimed pages in a chain that is whole.
  mutating func note(_ chain: OverflowChain) {
    for (index, page) in chain.pages.enumerated() {
      let place = index + 1 < chain.pages.count ? ChainPlace.middle : .end
      owners[page.number / Self.stretch][page.number % Self.stretch] |= place.rawValue
    }
  }

  /// Claims a page; false when something already owns it or there is no such page.
  package mutating func claim(_ page: PageNumber, for owner: PageOwner) -> Bool {
    guard page.number <= pageCount else { return false }
    let (index, place) = page.number.quotientAndRemainder(dividingBy: Self.stretch)
    if owners[index].isEmpty { owners[index] = Array(repeating: -1, count: Self.stretch) }
    guard owners[index][place] < 0 else { return false }
    owners[index][place] = owner.code
    count += 1
    return true
  }

  /// Leaves a page to whoever comes.
  mutating func passOver(_ page: PageNumber) {
    passedOver.insert(page)
  }

  /// Calls `body` with every page that has an owner, in order, from one page on.
  package func forEach(from first: Int = 1, _ body: (PageNumber, PageOwner) -> Void) {
    for index in owners.indices.dropFirst(first / Self.stretch) where !owners[index].isEmpty {
      for (place, code) in owners[index].enumerated() {
        let number = index * Self.stretch + place
        guard number >= first, code >= 0, let owner = PageOwner(code: code & Self.ownerMask),
          let page = PageNumber(number)
        else { continue }
        body(page, owner)
      }
    }
  }
}
