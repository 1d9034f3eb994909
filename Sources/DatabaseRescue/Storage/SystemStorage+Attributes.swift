// SPDX-License-Identifier: Apache-2.0
// Whose a file is, and who may read it.

import CFileAttributes
import SQLiteFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension SystemStorage {
  /// Gives a file the mode, the extended attributes, and where allowed the owner of another.
  package func copyAttributes(from path: FilePath, to other: FilePath) throws(StorageError) {
    var information = stat()
    try call(SystemCall("look at", path)) {
      unsafe path.withCString { unsafe stat($0, &information) }
    }
    try call(SystemCall("copy the extended attributes to", other)) {
      unsafe path.withCString { old in
        unsafe other.withCString { new in unsafe dbrescue_copy_extended_attributes(old, new) }
      }
    }
    try setOwner(of: other, information.st_uid, information.st_gid)
    // Last: a change of owner takes some bits of the mode away.
    try setMode(of: other, information.st_mode & 0o7777)
  }

  /// Sets the permissions of a file, and where allowed its owner.
  package func setAccess(of path: FilePath, to access: FileAccess) throws(StorageError) {
    if let owner = access.owner, let group = access.group { try setOwner(of: path, owner, group) }
    try setMode(of: path, mode_t(access.bits))
  }

  /// Only the administrator may give files away; else the owner stays.
  private func setOwner(
    of path: FilePath, _ owner: uid_t, _ group: gid_t
  ) throws(StorageError) {
    do {
      try call(SystemCall("set the owner of", path)) {
        unsafe path.withCString { unsafe chown($0, owner, group) }
      }
    } catch  where error.errno == EPERM {
      return
    }
  }

  private func setMode(of path: FilePath, _ mode: mode_t) throws(StorageError) {
    try call(SystemCall("set the mode of", path)) {
      unsafe path.withCString { unsafe chmod($0, mode) }
    }
  }
}
