// SPDX-License-Identifier: Apache-2.0
// The findings of one kind, with their places.

package import Diagnosis
import SQLiteFormat

extension DiagnosisReport {
  /// The findings of one kind.
  package struct FindingGroup: Hashable, Sendable, Encodable {
    /// One finding of the kind.
    package struct Place: Hashable, Sendable, Encodable {
      /// How much it weighs.
      package let severity: Finding.Severity
      /// What was found.
      package let message: String
      /// The table, index, view or trigger.
      package let object: String?
      /// The page.
      package let page: Int?
      /// The byte within the page, or within the file where there is no page.
      package let offset: Int?
      /// The byte within the database file; nil when the place is not known or not in that file.
      package let fileOffset: Int?

      init(_ finding: Finding, in image: Image?) {
        severity = finding.severity
        object = finding.place.object
        message = finding.message.naming(finding.place.object).shownMessage
        page = finding.place.page?.number
        offset = finding.place.offset
        fileOffset = Self.fileOffset(of: finding.place, in: image)
      }

      private static func fileOffset(of place: Finding.Place, in image: Image?) -> Int? {
        guard let page = place.page else { return nil }
        guard let image, page.number <= image.pageCount, image.origin(of: page) == .main else {
          return nil
        }
        return image.start + (page.number - 1) * image.geometry.pageSize + (place.offset ?? 0)
      }

      /// The page and the byte in it, such as `page 100, byte 12`; nil when neither is known.
      var words: String? {
        switch (page, offset) {
        case (let page?, let offset?): "page \(page), byte \(offset)"
        case (let page?, nil): "page \(page)"
        case (nil, let offset?): "byte \(offset)"
        case (nil, nil): nil
        }
      }
    }

    /// The code of the catalogue, such as `DBR-F060`.
    package let code: String
    /// How much the heaviest of them weighs.
    package let severity: Finding.Severity
    /// The kind in a few words.
    package let title: String
    /// What it means for the data, and what to do.
    package let meaning: String
    /// How many findings there are, those included that are only counted.
    package let count: Int
    /// The first of them.
    package let places: [Place]
    /// How many are not listed, because there are too many.
    package let placesOmitted: Int

    /// The most places that are listed of one kind.
    private static let placeLimit = 200

    private init(_ code: FindingCode, _ findings: [Finding], in image: Image?) {
      self.code = code.name
      severity = findings.map(\.severity).max() ?? code.severity
      title = code.title
      meaning = code.meaning
      count = findings.reduce(0) { $0 + $1.count }
      places = findings.prefix(Self.placeLimit).map { Place($0, in: image) }
      placesOmitted = findings.dropFirst(Self.placeLimit).reduce(0) { $0 + $1.count }
    }

    /// Groups findings by kind: heaviest first, else in the order in which they were found.
    static func groups(of findings: [Finding], in image: Image?) -> [FindingGroup] {
      var codes: [FindingCode] = []
      var members: [FindingCode: [Finding]] = [:]
      for finding in findings {
        if members[finding.code] == nil { codes.append(finding.code) }
        members[finding.code, default: []].append(finding)
      }
      let groups = codes.map { FindingGroup($0, members[$0, default: []], in: image) }
      return groups.enumerated().sorted { left, right in
        left.element.severity == right.element.severity
          ? left.offset < right.offset : left.element.severity > right.element.severity
      }.map(\.element)
    }
  }
}

extension String {
  /// This message with the name of what it is about cut like everywhere else.
  fileprivate func naming(_ object: String?) -> String {
    guard let object, object.shownName != object, !object.isEmpty else { return self }
    return replacing(object, with: object.shownName)
  }
}

extension Finding.Severity {
  /// The style in which text shows the severity.
  package var style: StyledText.Style {
    switch self {
    case .notice: .dim
    case .warning: .warning
    case .damage, .loss: .bad
    }
  }
}
