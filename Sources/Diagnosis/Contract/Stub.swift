public struct Contract: Sendable, Codable {
  public struct Unsynced: Sendable, Codable { public var table = ""; public var `where`: String? }
  public var name = ""; public var userVersion: Int = 0; public var unsynced: [Unsynced] = [];
  public var renamedColumns: [String: [String: String]] = [:]; public init() {}
}
public struct ContractVerification: Sendable {
  public var unsyncedTotal: UnsyncedRows = .cannotTell; public init() {}
}
public enum ContractCheck {
  public static func findings(of v: ContractVerification) -> [Finding] { [] }
  public static func findings(version: Int, expected: Int) -> [Finding] { [] }
}
