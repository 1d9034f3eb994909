// SPDX-License-Identifier: Apache-2.0
// `dbrescue vault extract`: the database of a backup in a new file, whole or as much as there is.

import DatabaseRescue
import Diagnosis
import SQLiteFormat

/// Gets the database out of a backup.
let vaultExtractCommand: CommandBody = { invocation, context throws(RescueError) in
  guard let output = invocation.path(.output) else {
    throw invocation.command.misuse("--output is needed")
  }
  let backup = invocation.path(.backup)
  let result = try context.rescue.extract(
    backup, to: output, files: context.files(invocation),
    isBestEffort: invocation.isSet(.bestEffort))
  let extraction = result.value
  if context.console.manner.isJSON {
    context.console.print(
      document: .document(
        "vault-extract",
        [
          "code": .string(result.code.description), "output": .string(output.description),
          "byteCount": .integer(extraction.byteCount), "whole": .bool(extraction.isWhole),
          "files": .array(extraction.sidecars.map { .string($0.description) }),
          "missing": .array(extraction.missing.map { json($0, in: extraction) }),
          "endedBy": extraction.endedBy.map { .string($0.message) },
        ]))
  } else {
    context.console.print("\(output)")
    for sidecar in extraction.sidecars { context.console.print("\(sidecar)") }
    for bytes in extraction.missing {
      context.console.print("\("missing", .warning): \(place(bytes, in: extraction))")
    }
    if let end = extraction.endedBy { context.console.warn("\(end.message)") }
    if !extraction.isWhole {
      context.console.note(
        "zeros stand for what is missing; to get the rows that are left:"
          + " dbrescue salvage \(output.shellQuoted) --output NEW")
    }
  }
  context.tellCode(of: result)
  return extraction.isWhole ? .success : .damagedLossy
}

private func place(_ bytes: Range<Int>, in extraction: BackupExtraction) -> String {
  let place = "bytes \(bytes.lowerBound) to \(bytes.upperBound)"
  guard let pages = extraction.pages(of: bytes) else { return place }
  return "pages \(pages.lowerBound)–\(pages.upperBound), \(place)"
}

private func json(_ bytes: Range<Int>, in extraction: BackupExtraction) -> JSON {
  let pages = extraction.pages(of: bytes)
  return .members([
    "firstByte": .integer(bytes.lowerBound), "byteCount": .integer(bytes.count),
    "firstPage": pages.map { .integer($0.lowerBound.number) },
    "lastPage": pages.map { .integer($0.upperBound.number) },
  ])
}
