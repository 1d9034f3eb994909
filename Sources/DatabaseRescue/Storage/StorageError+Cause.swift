// SPDX-License-Identifier: Apache-2.0
// What the error numbers of the system mean.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension StorageError {
  /// The `errno` of what no system refuses: to open what is neither a file nor a folder.
  static let noFile: Int32 = -1
  /// The `errno` of a name that is taken.
  static let exists = EEXIST

  /// The kinds of failure that are told apart.
  enum Cause: Hashable {
    case missing, permission, noSpace, readOnly, folder, noFile, exists, noLocks, other
  }

  /// What file systems say that cannot lock files, or not ones that are only read.
  private static let lockErrors = [ENOTSUP, EOPNOTSUPP, ENOLCK, ENOSYS, EBADF, EINVAL]

  /// Whether that is what systems say where no space is left.
  static func isNoSpace(_ errno: Int32) -> Bool { [ENOSPC, EDQUOT, EFBIG].contains(errno) }

  /// What kind of failure this is.
  var cause: Cause {
    switch errno {
    case ENOENT, ENOTDIR: .missing
    case EACCES, EPERM: .permission
    case _ where Self.isNoSpace(errno): .noSpace
    case EROFS: .readOnly
    case EISDIR: .folder
    case Self.noFile: .noFile
    case EEXIST: .exists
    case _ where operation == "lock" && Self.lockErrors.contains(errno): .noLocks
    default: .other
    }
  }
}
