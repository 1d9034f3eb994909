// SPDX-License-Identifier: Apache-2.0
// What a run has changed: the one value from which every end of a run says so.
//
// It is made of what was carried out, or of a look at the disk, and never of a guess: a call that
// fails can have done its work, and one that ends well can have been followed by one that fails.

/// What a run has changed.
public struct Change: Hashable, Sendable {
  /// How far it goes, from the least to the most.
  public enum Extent: Int, Hashable, Sendable, Comparable {
    /// Everything is as it was.
    case nothing
    /// Something was made beside the database, which is as it was.
    case addition
    /// What the run was given is not as it was.
    case something
    /// It cannot be told whether it is.
    case unknown

    /// Whether one goes less far than the other.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// How far it goes.
  public let extent: Extent
  /// What is different, in words without a full stop.
  public let meaning: String
  /// What to do about it, such as the command that takes it back; empty where nothing is to do.
  public let next: String

  /// Describes a change.
  init(_ extent: Extent, _ meaning: String, next: String = "") {
    self.extent = extent
    self.meaning = meaning
    self.next = next
  }

  /// The sum of several changes.
  init(_ changes: [Change]) {
    let extent = changes.map(\.extent).max() ?? .nothing
    let told = changes.filter { extent == .nothing || $0.extent > .nothing }
    func joined(_ texts: [String], _ separator: String) -> String {
      texts.filter { !$0.isEmpty }.joined(separator: separator)
    }
    self.init(
      extent, joined(told.map(\.meaning), "; "), next: joined(told.map(\.next), "\n"))
  }

  /// No change.
  static let nothing = Change(.nothing, "nothing was changed")
}
