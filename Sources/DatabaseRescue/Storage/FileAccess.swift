// SPDX-License-Identifier: Apache-2.0
// Who may read and write a file.

/// Who may read and write a file.
package struct FileAccess: Codable, Hashable, Sendable {
  /// The permission bits of owner, group and others, in octal digits, such as `640`.
  package var mode: String
  /// The number of the user that it belongs to; nil where that is of no account.
  package var owner: UInt32?
  /// The number of the group that it belongs to; nil where that is of no account.
  package var group: UInt32?

  /// Makes an access of permission bits; those that are no permissions are left out.
  package init(mode: UInt32, owner: UInt32? = nil, group: UInt32? = nil) {
    self.mode = String(mode & 0o777, radix: 8)
    self.owner = owner
    self.group = group
  }

  /// The permission bits; those of the owner alone where the digits are none.
  package var bits: UInt32 { (UInt32(mode, radix: 8) ?? 0o600) & 0o777 }

  /// All users may read, and only the owner may write.
  package static let readableByAll = FileAccess(mode: 0o644)
}
