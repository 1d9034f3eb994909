// SPDX-License-Identifier: Apache-2.0
// The contract as a document: read from JSON5, written as JSON.

public import Diagnosis
public import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads and writes contract documents.
public enum ContractDocument {
  /// How large a document may be.
  static let byteCountMax = 8 << 20

  /// Reads a document.
  ///
  /// - Throws: ``RescueError`` of kind `invalidInput` when it is no contract.
  public static func read(_ bytes: Bytes, named file: String) throws(RescueError) -> Contract {
    let contract = try decode(bytes, named: file)
    guard contract.schema == Contract.format else {
      throw invalid(
        "'\(file)' is a contract of format \(contract.schema), and this program reads format "
          + "\(Contract.format)", advice: "use a program of the same age as the contract")
    }
    return contract
  }

  /// The one place where text becomes a contract.
  private static func decode(_ bytes: Bytes, named file: String) throws(RescueError) -> Contract {
    guard bytes.count <= byteCountMax else {
      throw invalid("'\(file)' is too large for a contract")
    }
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      return try decoder.decode(Contract.self, from: Data(bytes))
    } catch {
      throw invalid("'\(file)' is not a contract: \(Self.reason(of: error))")
    }
  }

  /// What the decoder found wrong; no value is quoted.
  private static func reason(of error: any Error) -> String {
    func place(_ path: [any CodingKey]) -> String {
      let names = path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }
      return names.isEmpty ? "at the top" : "at \(names.joined().drop { $0 == "." })"
    }
    return switch error {
    case DecodingError.keyNotFound(let key, let context):
      "'\(key.stringValue)' is missing \(place(context.codingPath))"
    case DecodingError.typeMismatch(_, let context):
      "a value of another kind is needed \(place(context.codingPath))"
    case DecodingError.valueNotFound(_, let context):
      "a value is needed \(place(context.codingPath))"
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
      "a value does not fit \(place(context.codingPath))"
    default: "it is not JSON"
    }
  }

  private static func invalid(
    _ message: String, advice: String = "correct the contract, or capture a new one"
  ) -> RescueError {
    RescueError(.invalidInput, message, meaning: "nothing was done", advice: advice)
  }

  /// Saves a document in a new file.
  ///
  /// - Throws: ``RescueError`` when the file exists or cannot be written.
  public static func save(
    _ document: Bytes, at path: FilePath, in storage: any Storage
  ) throws(RescueError) {
    do {
      let file = try storage.open(path, .createNew)
      try file.write(document, at: 0)
      try file.synchronize()
    } catch {
      throw RescueError(error, meaning: "the contract was not written")
    }
  }

  /// Writes a document: sorted keys, so that two of them compare line by line.
  ///
  /// - Throws: ``RescueError`` of kind `internal`, which is a defect.
  public static func write(_ contract: Contract) throws(RescueError) -> Bytes {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return Bytes(try encoder.encode(contract)) + [0x0A]
    } catch {
      throw RescueError(.internal, "cannot write the contract '\(contract.name)'")
    }
  }
}
