// SPDX-License-Identifier: Apache-2.0
// Going down a tree, on each level to one child.

/// What comes next on a way down a tree.
package enum TreeDescent<Place> {
  /// A place below.
  case below(Place)
  /// Nothing: the way leads here, mostly to a leaf.
  case arrived
  /// Nothing: no child that the place names is on the way.
  case lost
}

extension TreeWalk {
  /// Goes down a tree (section 1.6), on each level to the one place below that `next` names.
  ///
  /// Nothing is claimed, and nothing but the places on the way is read: whoever wants one leaf of
  /// many need not walk over the others.
  ///
  /// - Returns: Where the way leads; nil where it is lost, or goes on below the lowest level that a
  ///   tree can have, as it does where pages lead to each other in a circle.
  package static func descend<Place, Failure: Error>(
    from root: Place, _ next: (Place) throws(Failure) -> TreeDescent<Place>
  ) throws(Failure) -> Place? {
    var place = root
    for _ in 0...depthMax {
      switch try next(place) {
      case .below(let child): place = child
      case .arrived: return place
      case .lost: return nil
      }
    }
    return nil
  }
}
