// SPDX-License-Identifier: Apache-2.0
// Whether other processes may have written to a database meanwhile: what is put back then would undo
// what they have committed.

import SQLiteFormat

/// The other processes that have a database open for writing, as far as the system tells.
struct OtherWriters: Equatable {
  /// How many bytes each has written so far, to whatever file; nil where that is not told.
  private let written: [Int32: Bytes?]

  /// Looks at the processes.
  init(of database: FilePath, in storage: any Storage) {
    let processes = (try? storage.place(of: database)).map { storage.writers(of: $0) } ?? []
    written = Dictionary(
      uniqueKeysWithValues: processes.map { ($0, Self.bytesWritten(by: $0, storage)) })
  }

  /// Whether none of them can have committed anything until a later look.
  func haveWrittenNothing(until later: OtherWriters) -> Bool {
    self == later && written.values.allSatisfy { $0 != nil }
  }

  /// The line of `/proc/PID/io` that counts the bytes of all calls that write.
  private static func bytesWritten(by process: Int32, _ storage: any Storage) -> Bytes? {
    let path = FilePath("/proc/\(process)/io")
    guard let text = try? storage.open(path, .read).read(at: 0, count: 4096) else { return nil }
    return text.split(separator: 0x0A).first { $0.starts(with: "wchar:".utf8) }.map { Bytes($0) }
  }
}
