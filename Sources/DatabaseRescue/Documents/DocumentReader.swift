// SPDX-License-Identifier: Apache-2.0
// Reads JSON5 documents that people edit, with the place of everything that is wrong.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import SQLiteFormat

/// Reads JSON5 documents that people edit: contracts and playbooks.
package enum DocumentReader {
  /// Decodes a document: the scanner finds what is wrong and where, Foundation decodes the rest.
  ///
  /// - Throws: ``RescueError`` of kind `invalidInput` whose message starts with
  ///   `file:line:column`, when the text is not JSON5, does not have the shape,
  ///   or holds a value that the type does not take.
  package static func decode<Model: Decodable>(
    _ type: Model.Type, from bytes: Bytes, named file: String, shape: DocumentShape
  ) throws(RescueError) -> Model {
    let (document, problems) = DocumentScanner.scan(bytes, shape: shape)
    guard let document, problems.isEmpty else { throw RescueError(problems, in: file) }
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      return try decoder.decode(type, from: Data(bytes))
    } catch {
      throw RescueError([problem(of: error, in: document)], in: file)
    }
  }

  /// Refuses a text that is cut off or broken, whatever document it was to be.
  ///
  /// - Throws: ``RescueError`` of kind `invalidInput` whose message starts with `file:line:column`.
  static func requireWellFormed(_ bytes: Bytes, named file: String) throws(RescueError) {
    let (document, problems) = DocumentScanner.scan(bytes, shape: .anything)
    guard document == nil else { return }
    throw RescueError(problems, in: file)
  }

  /// An error of the decoder with its place; no value is quoted.
  private static func problem(
    of error: any Error, in document: DocumentValue
  ) -> DocumentProblem {
    let (message, path): (String, [any CodingKey]) =
      switch error {
      case DecodingError.keyNotFound(let key, let context):
        ("the key \(key.stringValue.quoted) is missing", context.codingPath)
      case DecodingError.valueNotFound(_, let context):
        ("a value is needed here, not null", context.codingPath)
      case DecodingError.typeMismatch(_, let context):
        ("a value of another kind is needed here", context.codingPath)
      // A number out of range has no path: such shapes say `integer`, and keep models to `Int`.
      case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
        ("a value in the document is out of range", [])
      case DecodingError.dataCorrupted(let context):
        ("the value does not fit here", context.codingPath)
      default: ("the document cannot be decoded", [])
      }
    return DocumentProblem(message, at: document.position(of: path))
  }
}
