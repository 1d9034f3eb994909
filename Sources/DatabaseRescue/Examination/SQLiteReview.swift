// SPDX-License-Identifier: Apache-2.0
// What SQLite is asked of a copy of a database that our own reader found to be sound.

import Diagnosis
import SQLiteFormat

/// What SQLite is asked of a copy: how it stands to a contract, and what the modules of its virtual
/// tables say.
struct SQLiteReview {
  let contract: Contract?
  let asked: [VirtualTable]

  /// What is to be asked; nil where nothing is.
  init?(of examination: Examination, _ contract: Contract?, askingModules: Bool) {
    self.contract = contract
    // The words of a full-text index are a part of what a contract expects.
    asked = examination.survey.virtualTables.filter {
      $0.canBeAsked && (askingModules || contract != nil && $0.isFullText)
    }
    if contract == nil, asked.isEmpty { return nil }
  }

  /// What is said of modules that are not asked.
  var unasked: [ModuleVerdict] {
    asked.map {
      ModuleVerdict($0.name, .unchecked("SQLite is asked nothing of a damaged database"))
    }
  }
}

extension World {
  /// An examination without a contract, with what the modules of virtual tables say.
  func askingModules(_ found: Examination) throws(RescueError) -> Examination {
    guard found.verdict.isStructureSound, let image = found.survey.image,
      let review = SQLiteReview(of: found, nil, askingModules: true)
    else { return found }
    return try carryOut(review, on: found, image)
  }

  /// Has SQLite tell on a private copy what the bytes alone do not.
  func carryOut(
    _ review: SQLiteReview, on bytes: Examination, _ image: Image
  ) throws(RescueError) -> Examination {
    if let contract = review.contract, review.asked.isEmpty, image.byteCount <= Self.memoryMax {
      let verification = try verify(image, against: contract, schema: bytes.survey.wholeSchema)
      return try examination(
        bytes.reconstruction, verification, expectedVersion: bytes.expectedVersion, use: bytes.use)
    }
    let folder = try PrivateFolder(world: self)
    let copy = folder.file("copy.db")
    try image.write(to: copy, storage: storage)
    let verification = try review.contract.map { contract throws(RescueError) in
      try verify(copy, against: contract, schema: bytes.survey.wholeSchema)
    }
    let modules: [ModuleVerdict]
    do {
      modules = try ModuleReview.verdicts(
        on: review.asked, in: copy, byteCount: image.dataByteCount,
        isCancelled: isCancelled)
    } catch {
      throw RescueError(error, doing: "have SQLite check a copy")
    }
    try requireGoingOn()
    return try examination(
      bytes.reconstruction, verification, expectedVersion: bytes.expectedVersion, modules: modules,
      use: bytes.use)
  }

  /// The largest database of which SQLite gets a copy in memory, where it only reads: that takes a
  /// fraction of the time that a folder and a file do which a crash may leave behind.
  static let memoryMax = 4 << 20

  /// Has SQLite compare a copy in memory with a contract, of which the schema may be known.
  private func verify(
    _ image: Image, against contract: Contract, schema: SchemaDescription?
  ) throws(RescueError) -> ContractVerification {
    let bytes = try image.wholeBytes()
    do {
      let connection = try Connection.reading(bytes)
      connection.stop(when: isCancelled)
      return try ContractVerifier().verify(connection, against: contract, schema: schema)
    } catch {
      throw RescueError(error, doing: "compare a copy with the contract")
    }
  }

  /// Has SQLite compare a private copy with a contract, of which the schema may be known.
  func verify(
    _ copy: FilePath, against contract: Contract, schema: SchemaDescription? = nil
  ) throws(RescueError) -> ContractVerification {
    do {
      let connection = try Connection(copy, mode: .readOnly)
      connection.stop(when: isCancelled)
      return try ContractVerifier().verify(connection, against: contract, schema: schema)
    } catch {
      throw RescueError(error, doing: "compare a copy with the contract")
    }
  }
}

extension Survey {
  /// The schema, where nothing of it was refused.
  fileprivate var wholeSchema: SchemaDescription? {
    schema.flatMap { $0.isWhole && $0.parsed.refused.isEmpty ? $0.parsed.description : nil }
  }
}
