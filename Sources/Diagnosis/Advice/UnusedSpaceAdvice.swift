// SPDX-License-Identifier: Apache-2.0
// Free pages, pages that are not full, and what VACUUM would give back of both.

enum UnusedSpaceAdvice: Adviser {
  static let kind = AdviceKind.unusedSpace
  static let words = AdviceWords(
    title: "the file is larger than its content",
    costs: "Room on the disk, in every backup and copy, and in the caches.",
    action: "Have SQLite write the database anew. It needs as much free space as the database has "
      + "now, twice in WAL mode, and nobody else can write meanwhile.",
    unless:
      "Leave it where the space will soon be used again, as after a purge that is repeated, or "
      + "where tables without an INTEGER PRIMARY KEY are referred to by rowid: VACUUM may renumber "
      + "them.")

  /// The least part of the file, in percent and in pages.
  private static let leastPercent = 10
  private static let leastPages = 16

  static func trait(of basis: AdviceBasis) -> AdviceTrait? {
    let (pages, after) = (basis.pageCount, basis.pagesAfterVacuum)
    let saved = pages - after
    guard saved >= leastPages, saved.percent(of: pages) >= leastPercent else { return nil }
    return AdviceTrait(
      found: "\(counted(basis.freePages, "page is free", "pages are free")) of \(grouped(pages)); "
        + "VACUUM would bring the file from \(grouped(pages * basis.pageSize)) bytes to about "
        + "\(grouped(after * basis.pageSize)), \(saved.percent(of: pages)) % less",
      figures: [
        "pages": pages, "freePages": basis.freePages, "pagesAfterVacuum": after,
        "bytesSaved": saved * basis.pageSize,
      ], sql: ["VACUUM;"])
  }
}
