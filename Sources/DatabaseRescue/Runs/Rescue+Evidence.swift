// SPDX-License-Identifier: Apache-2.0
// The digests by which a run shows that what it was given is as it was.

import Diagnosis
import SQLiteFormat

extension Rescue {
  /// Takes the digests of the input files before and after: where they differ, somebody else
  /// wrote meanwhile, for nothing here does.
  ///
  /// They are handed to `note` as they become known.
  /// The first digests are taken while `examine` reads the same bytes, and are there before
  /// `body` does anything with what that found. It may begin the last ones when it has read all.
  func withEvidence<Value>(
    _ input: InputFiles, note: ([RunRecord.InputDigest]) -> Void,
    examine: () throws(RescueError) -> Examination,
    _ body: (Examination, LastDigests) throws(RescueError) -> Value
  ) throws(RescueError) -> Value {
    let digests = Background { () throws(RescueError) in
      try self.digests(of: input).map { digest throws(RescueError) in
        // The files were there when they were looked for.
        guard let digest else { throw RescueError.changing(input.main) }
        return digest
      }
    }
    let examination = Result { () throws(RescueError) in try examine() }
    let before = Result { () throws(RescueError) in try digests.value() }
    let inputs = zip(input.evidence, (try? before.get()) ?? []).map { path, digest in
      RunRecord.InputDigest(
        name: PlainName(path), before: PlainName(digest.description), after: nil)
    }
    note(inputs)
    let examined = try examination.get()
    let failures = examined.survey.failures
    try before.get().compactMap(\.failure).forEach(failures.note)
    let last = LastDigests { (progress) throws(RescueError) in
      try self.digests(of: input, progress: progress)
    }
    let value = try body(examined, last)
    let lastDigests = try last.value(world.progress)
    lastDigests.compactMap(\.?.failure).forEach(failures.note)
    let after = lastDigests.map { $0.map { PlainName($0.description) } }
    note(
      zip(inputs, after).map { input, digest in
        RunRecord.InputDigest(name: input.name, before: input.before, after: digest)
      })
    return value
  }

  /// The digests of the files; nil for one that is gone.
  private func digests(
    of input: InputFiles, progress: (Progress) -> Void = { _ in }
  ) throws(RescueError) -> [EvidenceDigest?] {
    var digests: [EvidenceDigest?] = []
    for path in input.evidence {
      do {
        let file = try world.storage.open(path, .read)
        digests.append(
          try EvidenceDigest(of: file) { (count) throws(RescueError) in
            try world.requireGoingOn()
            progress(.advanced(count))
          })
      } catch let error as StorageError where error.cause == .missing {
        digests.append(nil)
      } catch {
        throw RescueError(error, doing: "read '\(input.main)'")
      }
    }
    return digests
  }
}
