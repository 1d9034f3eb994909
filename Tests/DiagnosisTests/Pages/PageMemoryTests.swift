// SPDX-License-Identifier: Apache-2.0
// What is kept of damaged pages, and how much.

@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct PageMemoryTests {
  @Test func `what was read of a damaged page is kept for the salvage, and of a sound one is not`()
    throws
  {
    let specimen = try Specimen(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
      INSERT INTO t SELECT i, 'value ' || i FROM n;
      """)
    let leaves = specimen.pages(of: "t", "leaf")
    let rebuilt = Reconstruction(main: specimen.with(.wipeCellPointers(page: leaves[1])).bytes)
    let kept = leaves.filter { leaf in
      PageNumber(leaf).flatMap { rebuilt.memory.reading(of: $0, isTable: true) } != nil
    }
    #expect(kept == [leaves[1]])
  }

  @Test func `no more is kept than there is room for`() {
    let memory = PageMemory()
    let questions = (1...3000).compactMap { PageNumber($0) }
      .map { PageMemory.Question(page: $0, isTable: nil) }
    for question in questions { memory.keep(nil, for: question) }
    #expect(questions.count { memory.answer(to: $0) != nil } == 2048)
  }
}
