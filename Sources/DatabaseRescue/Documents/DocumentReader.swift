// SPDX-License-Identifier: Apache-2.0
// Reads JSON5 documents that people edit, with the place of everything that is wrong.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import SQLiteFormat

/// Reads JSON5 documents that people edit: contracts and playbooks.
///
/// The scanner finds what is wrong and where; Foundation decodes what is left.
package enum DocumentReader {
  /// Everything that is wrong with a document, in the order of the text.
  package static func problems(in bytes: Bytes, shape: DocumentShape) -> [DocumentProblem] {
    DocumentScanner.problems(in: bytes, shape: shape).sorted { $0.position < $1.position }
  }

  /// Where a value stands in a well-formed document; where there is none, the nearest one above it.
  package static func position(of path: DocumentPath, in bytes: Bytes) -> TextPosition {
    DocumentScanner.position(of: path, in: bytes)
  }

  /// Decodes a document.
  ///
  /// - Throws: ``RescueError`` of kind `invalidInput` whose message starts with
  ///   `file:line:column`, when the text is not JSON5, does not have the shape,
  ///   or holds a value that the type does not take.
  package static func decode<Model: Decodable>(
    _ type: Model.Type, from bytes: Bytes, named file: String, shape: DocumentShape
  ) throws(RescueError) -> Model {
    let problems = problems(in: bytes, shape: shape)
    guard problems.isEmpty else { throw RescueError(problems, in: file) }
    do {
      return try decoder.decode(type, from: Data(bytes))
    } catch {
      throw RescueError([problem(of: error, in: bytes)], in: file)
    }
  }

  /// What a forgiving model can take from a document that may have problems; nil when nothing.
  package static func remains<Model: Decodable>(
    _ type: Model.Type, of bytes: Bytes
  ) -> Model? {
    DocumentScanner.isWellFormed(bytes) ? try? decoder.decode(type, from: Data(bytes)) : nil
  }

  private static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    return decoder
  }

  /// An error of the decoder with its place; no value is quoted.
  private static func problem(of error: any Error, in bytes: Bytes) -> DocumentProblem {
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
    return DocumentProblem(message, at: position(of: DocumentPath(path), in: bytes))
  }
}
