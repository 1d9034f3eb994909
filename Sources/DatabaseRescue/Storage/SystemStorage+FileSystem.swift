// SPDX-License-Identifier: Apache-2.0
// Whether files lie on a disk of this machine: on others, locks may not work.

import CFileAttributes
package import Diagnosis

extension SystemStorage {
  /// File systems of other machines, or of programs, by their numbers in Linux.
  private static let shared: [UInt: String] = [
    0x6969: "a network share (NFS)", 0x517B: "a network share (SMB)",
    0xFF53_4D42: "a network share (SMB)", 0xFE53_4D42: "a network share (SMB)",
    0x5346_414F: "a network share (AFS)", 0x00C3_6400: "a network share (Ceph)",
    0x0BD0_0BD0: "a network share (Lustre)",
    0x0102_1997: "a folder that another system shares (9p)",
    0x786F_4256: "a folder that another system shares (VirtualBox)",
    0x6573_5546: "a file system that a program provides (FUSE)",
  ]

  /// The file system of `path`.
  ///
  /// Links are followed.
  package func fileSystem(at path: FilePath) throws(StorageError) -> Circumstances.FileSystem? {
    var kind: UInt = 0
    try call(SystemCall("look at", path)) {
      unsafe path.withCString { unsafe dbrescue_file_system($0, &kind) }
    }
    #if os(Linux)
      return Self.shared[kind].map { .shared($0) } ?? .local
    #else
      return kind == 0 ? .local : .shared("a network share")
    #endif
  }
}
