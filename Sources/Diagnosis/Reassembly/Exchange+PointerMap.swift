// SPDX-License-Identifier: Apache-2.0
// Interior pages that have changed places, as the pointer map tells: of each page it names the one that
// leads to it, wherever that stands now.

import SQLiteFormat

extension ExchangeSearch {
  /// How many interior pages are asked for, at most.
  private static let interiorsMax = 4096

  /// Of each interior page that the pointer map knows in another place, the page that stands in its own.
  ///
  /// The pages below one agree on the number that it had. A page of which nothing tells that stands in
  /// the place of such a one has gone to where the last of those that followed each other is missing.
  /// Where all trees are as they should be, it is the map that is not. File format, section 1.8.
  var movedInteriors: [PageNumber: PageNumber] {
    guard survey.hasPointerMaps, survey.trees.contains(where: isAmiss) else { return [:] }
    let trail = PointerMapTrail(pages.image, roots: survey)
    var placeOf: [PageNumber: PageNumber] = [:]
    for page in interiors { placeOf[page] = trail.parent(of: children(of: page)) }
    let pagesFor = Dictionary(grouping: placeOf.keys) { placeOf[$0] }
    var moved: [PageNumber: PageNumber] = [:]
    for (page, place) in placeOf where page != place && pagesFor[place]?.count == 1 {
      moved[place] = page
    }
    var found: [PageNumber: PageNumber] = [:]
    for (place, page) in moved where found[place] == nil {
      var round = [place: page]
      var last = page
      while last != place, let next = moved[last] {
        round[last] = next
        last = next
      }
      // The first place of those that followed each other may have what stood in the last one.
      if last != place {
        guard placeOf[place] == nil else { continue }
        round[last] = place
      }
      let trees = round.keys.compactMap { survey.treeThatLeads(to: $0) }
      if trees.contains(where: { isAmiss(survey.trees[$0]) }) { found.merge(round) { $1 } }
    }
    return found
  }

  /// The roots of the trees, and the interior pages below them.
  private var interiors: [PageNumber] {
    let roots = survey.trees.compactMap(\.root)
    let below = roots.flatMap { children(of: $0) }
    return PageSet((roots + below).prefix(Self.interiorsMax)).pages.filter {
      !children(of: $0).isEmpty
    }
  }

  /// The pages below an interior page; none where it is none.
  private func children(of page: PageNumber) -> [PageNumber] {
    (pages.reading(of: page)?.children ?? []).filter { $0.number <= pages.image.pageCount }
  }
}
