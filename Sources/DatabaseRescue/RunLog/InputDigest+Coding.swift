// SPDX-License-Identifier: Apache-2.0
// The digests of an input as JSON: in the log as in every report.

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension RunRecord.InputDigest {
  /// The SHA-256 of the file; nil when it was not taken of the whole file.
  package var sha256: PlainName? { isPartial ? nil : before }

  /// The digest of what could be read of the file outside its holes; nil when it was read as a whole.
  package var partialDigest: PlainName? { isPartial ? before : nil }

  /// Whether the file is still the same after the run; nil when that was not looked at.
  package var isUnchanged: Bool? { after.map { $0 == before } }

  private var isPartial: Bool {
    before?.description.hasPrefix(EvidenceDigest.partialPrefix) ?? false
  }
}

extension RunRecord.InputDigest: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, sha256, partialDigest, after
    case isUnchanged = "unchanged"
    /// In the lines of earlier versions.
    case before
  }

  /// Reads the digests of a file, as earlier versions wrote them too.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func digest(_ key: CodingKeys) throws -> PlainName? {
      try values.decodeIfPresent(PlainName.self, forKey: key)
    }
    let before = try digest(.sha256) ?? digest(.partialDigest) ?? digest(.before)
    let isUnchanged = try values.decodeIfPresent(Bool.self, forKey: .isUnchanged) == true
    self.init(
      name: try values.decode(PlainName.self, forKey: .name), before: before,
      after: try digest(.after) ?? (isUnchanged ? before : nil))
  }

  /// Writes the digests of a file: the second one where it is another.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encodeIfPresent(sha256, forKey: .sha256)
    try values.encodeIfPresent(partialDigest, forKey: .partialDigest)
    try values.encodeIfPresent(isUnchanged, forKey: .isUnchanged)
    if isUnchanged == false { try values.encode(after, forKey: .after) }
  }
}
