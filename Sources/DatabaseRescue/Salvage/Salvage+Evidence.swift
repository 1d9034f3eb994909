// SPDX-License-Identifier: Apache-2.0
// By what evidence a salvage knows the schema, and whose the pages are that no tree leads to.

import Diagnosis
import SQLiteFormat

extension Salvage {
  /// Where the schema comes from, where that is not the schema table alone.
  private var schemaEvidence: String? {
    guard let schema = survey.schema else { return nil }
    let sources = schema.sources
    let parts = SchemaSource.allCases.compactMap { source in
      sources[source].flatMap { $0 > 0 ? "\($0.of("object")) from \(source.words)" : nil }
    }
    return sources.keys.contains { $0 != .schemaTable }
      ? "the schema: " + parts.joined(separator: ", ")
        + (schema.rootsInOrder > 0
          ? "; \(schema.rootsInOrder.of("root")) where a new database has them" : "") : nil
  }

  /// Why pages that no tree leads to, or the wrong one, are held to be those of tables.
  private var placementEvidence: [String] {
    survey.trees.indices.compactMap { position in
      let evidence = reconstruction.reassembly.evidence(for: position)
      guard !evidence.isEmpty else { return nil }
      let count = evidence.reduce(0) { $0 + $1.pages }
      let parts = evidence.map { "\($0.pages) by \($0.kind.words)" }
      return "'\(survey.trees[position].entry.name)': \(count.of("page")) that its tree had lost "
        + (count == 1 ? "was" : "were") + " found: " + parts.joined(separator: ", ")
    }
  }

  /// What should be known of how the file was sent here.
  var transferNotes: [String] {
    switch survey.transfer {
    case .lineFeedsExpanded(let removed):
      [
        "the file was transferred as text: \(removed.of("carriage return", "was", "were")) left out "
          + "before line feeds in reading it"
      ]
    case .logLineFeedsExpanded(let removed):
      [
        "the -wal was transferred as text: \(removed.of("carriage return", "was", "were")) left out "
          + "before line feeds in reading it"
      ]
    case .bytesWidened(let removed):
      [
        "the file was transferred as text: the \(removed.of("byte")) that characters of two bytes "
          + "have more were left out in reading it"
      ]
    case .blocksParted(let block, let added):
      [
        "\(added.of("byte")) after each \(block) of the file \(added == 1 ? "was" : "were") left out in "
          + "reading it"
      ]
    case .chunked(let count):
      [
        "the file was saved with the lengths of \(count.of("chunk")), in which HTTP sent it: they were "
          + "left out in reading it"
      ]
    case .carriageReturnsReplaced:
      [
        "the file was transferred as text: every byte 13 of it is a 10 now, and numbers and texts of "
          + "rows may be others"
      ]
    case .carriageReturnsDropped, .carriageReturnsRemoved, .reencoded, .charactersWidened,
      .questionMarks, .sevenBits, nil:
      []
    }
  }

  /// What should be known of bytes that could not be read.
  var unreadNotes: [String] {
    guard let first = survey.failures.first else { return [] }
    return [
      "\(survey.failures.count.of("read")) of the input failed for good, the first at byte "
        + "\(first.offset): \(first.reason); what lies there is not known"
    ]
  }

  /// What should be known of pages that are missing, where nothing tells whose they were.
  var missingNotes: [String] {
    guard survey.missesUnknownPages else { return [] }
    guard !survey.lacksOwnJournal else {
      return [
        "a journal of this database was left out: rows may be missing, or of a transaction that never "
          + "ended"
      ]
    }
    return [
      "pages are missing of which nothing tells what they held: rows may be missing, or older than they "
        + "were"
    ]
  }

  /// The evidence on which the salvage rests, where the file no longer tells by itself.
  var evidence: [String] { [schemaEvidence].compactMap(\.self) + placementEvidence }
}

extension SchemaSource {
  fileprivate var words: String {
    switch self {
    case .schemaTable: "the schema table"
    case .orphanPage: "pages that the schema table has lost"
    case .doubtfulCell: "a page that has lost what is in use of it; their trees are there"
    case .otherTime: "copies of another time, in or under the journals"
    case .mended:
      "statements in which damaged characters were put right, and names may be others now"
    case .expected: "the schema that was given"
    }
  }
}

extension PlacementEvidence {
  fileprivate var words: String {
    switch self {
    case .index: "entries of its indexes"
    case .pointerMap: "the pointer map"
    case .tree: "its tree, if at another place"
    case .elimination: "elimination of all other tables"
    case .backup: "a backup with the same page"
    case .declaredTypes: "its declared types"
    case .foreignKeys: "foreign keys that refer to their rows"
    case .allocation: "their place in the file, between its root and the next"
    }
  }
}
