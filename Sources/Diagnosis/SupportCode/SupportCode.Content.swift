// SPDX-License-Identifier: Apache-2.0
// What a support code says, and where each part lies in its 90 bits.

extension SupportCode {
  /// What a support code says about its run.
  ///
  /// Offsets count from the first symbol's top bit. Numbers of enumerations are their raw
  /// values. A change of anything here is a new layout version; new members of enumerations
  /// are not. Layout 3 is never given away: see ``SupportCode/init(parsing:)``.
  ///
  /// Layout 2 says what layout 1 says, with the expected version as a step from the one that was
  /// found, and so has 22 random bits. Where the step is too far for that, layout 1 is written.
  ///
  /// | offset | bits | part of layout 1                                        |
  /// |-------:|-----:|---------------------------------------------------------|
  /// |      0 |    3 | layout version                                          |
  /// |      3 |    5 | operation                                               |
  /// |      8 |    4 | stage reached                                           |
  /// |     12 |    4 | outcome                                                 |
  /// |     16 |    3 | verdict: 0 none, then in the order of `Verdict`         |
  /// |     19 |    8 | leading finding: 0 none                                 |
  /// |     27 |    6 | framework: 0 none                                       |
  /// |     33 |    2 | version relation, in the order of `VersionRelation`     |
  /// |     35 |   11 | version found: 2046 = 2046 or more, 2047 = unknown      |
  /// |     46 |   11 | version expected: likewise                              |
  /// |     57 |   13 | day: days since 2025-01-01, 8191 = then or later        |
  /// |     70 |    1 | a WAL was present                                       |
  /// |     71 |    2 | unsynced rows                                           |
  /// |     73 |    1 | a verified backup exists                                |
  /// |     74 |    1 | the database was restored                               |
  /// |     75 |    1 | rows were lost                                          |
  /// |     76 |    1 | nobody was there to ask                                 |
  /// |     77 |   13 | random                                                  |
  ///
  /// | offset | bits | part of layout 2, which is layout 1 up to offset 33     |
  /// |-------:|-----:|---------------------------------------------------------|
  /// |     33 |    4 | step: 0 nothing expected, 1 equal, 2 … 8 older by 1 … 7 |
  /// |        |      | than expected, 9 … 15 newer by 1 … 7                    |
  /// |     37 |   11 | version found: as in layout 1                           |
  /// |     48 |   20 | day to the last flag: offset 57 to 76 of layout 1       |
  /// |     68 |   22 | random                                                  |
  package struct Content: Hashable, Sendable {
    /// What was run.
    package var operation: Coded<Operation>
    /// How far it came.
    package var stage: Coded<Stage>
    /// How it ended.
    package var outcome: Coded<Outcome>
    /// The verdict on the database; nil when there was none.
    package var verdict: Verdict?
    /// The finding that weighs most; nil when there was none.
    package var finding: Coded<FindingCode>?
    /// Who made the file.
    package var framework: Coded<Framework>
    /// How the version found relates to the one expected; not known where two bits cannot say it.
    package var relation: VersionRelation { didSet { relation = relation.inCode } }
    /// The version found in the file.
    package var found: Version
    /// The version that was expected.
    package var expected: Version
    /// Days since 2025-01-01, from 0 to ``lastDay``.
    package var day: Int
    /// Whether a `-wal` file with content lay beside the database.
    package var hasWAL: Bool
    /// What is known of rows that were not sent anywhere yet.
    package var unsynced: Unsynced
    /// Whether a backup exists that was read back and compared.
    package var hasVerifiedBackup: Bool
    /// Whether the database was restored from a backup.
    package var restored: Bool
    /// Whether rows were lost.
    package var rowsLost: Bool
    /// Whether the run had nobody to ask.
    package var unattended: Bool

    /// Makes the content of a code; what a code cannot hold exactly is held as near as it can be.
    package init(
      operation: Operation, stage: Stage, outcome: Outcome, day: Int,
      verdict: Verdict? = nil, finding: FindingCode? = nil, framework: Framework = .none,
      relation: VersionRelation = .unknown, found: Int? = nil, expected: Int? = nil,
      hasWAL: Bool = false, unsynced: UnsyncedRows? = nil, hasVerifiedBackup: Bool = false,
      restored: Bool = false, rowsLost: Bool = false, unattended: Bool = false
    ) {
      self.operation = Coded(operation)
      self.stage = Coded(stage)
      self.outcome = Coded(outcome)
      self.verdict = verdict
      self.finding = finding.map { Coded($0) }
      self.framework = Coded(framework)
      self.relation = relation.inCode
      self.found = Version(found)
      self.expected = Version(expected)
      self.day = min(max(day, 0), Self.lastDay)
      self.hasWAL = hasWAL
      self.unsynced = Unsynced(unsynced)
      self.hasVerifiedBackup = hasVerifiedBackup
      self.restored = restored
      self.rowsLost = rowsLost
      self.unattended = unattended
    }
  }
}

extension SupportCode.Content {
  /// The last day that a code can hold; it stands for all later ones too.
  package static let lastDay = (1 << Part.day.width) - 1

  /// The day of a time, in days since 2025-01-01; clocks that are far off give the nearest day.
  package static func day(secondsSince1970: Double) -> Int {
    let days = (secondsSince1970 / 86_400).rounded(.down) - 20_089
    return days.isNaN ? 0 : Int(min(max(days, 0), Double(lastDay)))
  }

  /// Where a part lies in layout 1: bits from the top of the 90, and how many.
  private struct Part {
    var offset: Int
    var width: Int

    static let layout = Part(offset: 0, width: 3)
    static let operation = Part(offset: 3, width: 5)
    static let stage = Part(offset: 8, width: 4)
    static let outcome = Part(offset: 12, width: 4)
    static let verdict = Part(offset: 16, width: 3)
    static let finding = Part(offset: 19, width: 8)
    static let framework = Part(offset: 27, width: 6)
    static let relation = Part(offset: 33, width: 2)
    static let found = Part(offset: 35, width: 11)
    static let expected = Part(offset: 46, width: 11)
    static let day = Part(offset: 57, width: 13)
    static let hasWAL = Part(offset: 70, width: 1)
    static let unsynced = Part(offset: 71, width: 2)
    static let hasVerifiedBackup = Part(offset: 73, width: 1)
    static let restored = Part(offset: 74, width: 1)
    static let rowsLost = Part(offset: 75, width: 1)
    static let unattended = Part(offset: 76, width: 1)
    static let random = Part(offset: 77, width: 13)

    /// The parts of layout 2 that lie elsewhere, or are not in layout 1.
    static let step = Part(offset: 33, width: 4)
    static let foundAfterStep = Part(offset: 37, width: 11)
    static let moreRandom = Part(offset: 68, width: 22)

    /// How far the parts from day to the last flag have moved in layout 2.
    private static let moved = 9

    /// The place of the same part in layout 2.
    var inLayout2: Part { Part(offset: offset - Self.moved, width: width) }

    private var shift: Int { 90 - offset - width }
    private var mask: UInt128 { (1 << width) - 1 }

    func number(in payload: UInt128) -> Int { Int(payload >> shift & mask) }
    func byte(in payload: UInt128) -> UInt8 { UInt8(truncatingIfNeeded: number(in: payload)) }
    func flag(in payload: UInt128) -> Bool { number(in: payload) != 0 }

    func holding(_ number: some BinaryInteger) -> UInt128 {
      (UInt128(truncatingIfNeeded: number) & mask) << shift
    }
    func holding(_ flag: Bool) -> UInt128 { holding(flag ? 1 : 0) }
  }

  /// The layout that a code has unless the step between versions is too far for it.
  private static let layout = 2
  /// The largest step between versions that layout 2 has room for.
  private static let stepMax = 7

  /// The verdicts by number: one for each that three bits can hold.
  private static let verdicts: [Verdict?] = [
    nil, .healthy, .outdated, .newer, .drifted, .damagedIntact, .damagedLossy, .unreadable,
  ]

  /// The version relations by number: one for each that two bits can hold.
  private static let relations: [VersionRelation] = [.unknown, .equal, .older, .newer]

  fileprivate static func holds(_ relation: VersionRelation) -> Bool {
    relations.contains(relation)
  }

  static func layout(of payload: UInt128) -> UInt8 { Part.layout.byte(in: payload) }

  /// The relation and the expected version as a step from the version found; nil where they are
  /// too far apart, or do not go together.
  private var step: Int? {
    let distance = expected.number - found.number
    let isKnown = found.value != nil && expected.value != nil
    return switch relation {
    case .unknown where expected.value == nil: 0
    case .equal where isKnown && distance == 0: 1
    case .older where isKnown && (1...Self.stepMax).contains(distance): 1 + distance
    case .newer where isKnown && (1...Self.stepMax).contains(-distance):
      1 + Self.stepMax - distance
    default: nil
    }
  }

  /// The relation and the expected version that a step from the version found stands for.
  private static func reading(
    _ step: Int, from found: SupportCode.Version
  ) -> (relation: VersionRelation, expected: SupportCode.Version) {
    switch step {
    case 0: (.unknown, SupportCode.Version(nil))
    case 1: (.equal, found)
    case 2...(1 + stepMax): (.older, SupportCode.Version(number: found.number + step - 1))
    default: (.newer, SupportCode.Version(number: found.number - (step - 1 - stepMax)))
    }
  }

  func payload(random: UInt64) -> UInt128 {
    let parts: [UInt128] = [
      Part.operation.holding(operation.number),
      Part.stage.holding(stage.number),
      Part.outcome.holding(outcome.number),
      Part.verdict.holding(Self.verdicts.firstIndex(of: verdict) ?? 0),
      Part.finding.holding(finding?.number ?? 0),
      Part.framework.holding(framework.number),
    ]
    let versions: [UInt128] =
      if let step {
        [
          Part.layout.holding(Self.layout), Part.step.holding(step),
          Part.foundAfterStep.holding(found.number), Part.moreRandom.holding(random),
        ]
      } else {
        [
          Part.layout.holding(1),
          Part.relation.holding(Self.relations.firstIndex(of: relation) ?? 0),
          Part.found.holding(found.number), Part.expected.holding(expected.number),
          Part.random.holding(random),
        ]
      }
    return (parts + versions + circumstances(inLayout2: step != nil)).reduce(0, |)
  }

  /// The parts from day to the last flag.
  private func circumstances(inLayout2: Bool) -> [UInt128] {
    func place(_ part: Part) -> Part { inLayout2 ? part.inLayout2 : part }
    return [
      place(.day).holding(min(max(day, 0), Self.lastDay)),
      place(.hasWAL).holding(hasWAL),
      place(.unsynced).holding(unsynced.rawValue),
      place(.hasVerifiedBackup).holding(hasVerifiedBackup),
      place(.restored).holding(restored),
      place(.rowsLost).holding(rowsLost),
      place(.unattended).holding(unattended),
    ]
  }

  init?(payload: UInt128) {
    let layout = Part.layout.number(in: payload)
    func place(_ part: Part) -> Part { layout == Self.layout ? part.inLayout2 : part }
    guard layout == 1 || layout == Self.layout,
      let unsynced = SupportCode.Unsynced(rawValue: place(.unsynced).byte(in: payload))
    else { return nil }
    operation = Coded(number: Part.operation.byte(in: payload))
    stage = Coded(number: Part.stage.byte(in: payload))
    outcome = Coded(number: Part.outcome.byte(in: payload))
    verdict = Self.verdicts[Part.verdict.number(in: payload)]
    let findingNumber = Part.finding.byte(in: payload)
    finding = findingNumber == 0 ? nil : Coded(number: findingNumber)
    framework = Coded(number: Part.framework.byte(in: payload))
    if layout == 1 {
      relation = Self.relations[Part.relation.number(in: payload)]
      found = SupportCode.Version(number: Part.found.number(in: payload))
      expected = SupportCode.Version(number: Part.expected.number(in: payload))
    } else {
      found = SupportCode.Version(number: Part.foundAfterStep.number(in: payload))
      (relation, expected) = Self.reading(Part.step.number(in: payload), from: found)
    }
    day = place(.day).number(in: payload)
    hasWAL = place(.hasWAL).flag(in: payload)
    self.unsynced = unsynced
    hasVerifiedBackup = place(.hasVerifiedBackup).flag(in: payload)
    restored = place(.restored).flag(in: payload)
    rowsLost = place(.rowsLost).flag(in: payload)
    unattended = place(.unattended).flag(in: payload)
  }
}

extension VersionRelation {
  /// The same as a code holds it.
  fileprivate var inCode: VersionRelation { SupportCode.Content.holds(self) ? self : .unknown }
}
