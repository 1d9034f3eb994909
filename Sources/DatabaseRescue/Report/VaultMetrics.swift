// SPDX-License-Identifier: Apache-2.0
// How databases stand with their backups, in the text format of Prometheus.
//
// A file of it is read by the textfile collector of node_exporter. What is not known has no line,
// and `dbrescue_vault_status` has one for every database: a rule that asks for both never takes
// silence for health.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// How databases stand with their backups, in the text format of Prometheus.
package struct VaultMetrics {
  private let statuses: [(name: String, status: VaultStatus)]
  private let moment: Date
  private let ageMax: Double

  /// Makes the metrics of a moment.
  package init(_ statuses: [VaultStatus], at moment: Date, ageMax: Double) {
    var seen: [String: Int] = [:]
    // Two series of one name would make the collector refuse the whole file.
    self.statuses = statuses.map { status in
      let name = status.database.description
      seen[name, default: 0] += 1
      return (seen[name] == 1 ? name : "\(name) (\(seen[name] ?? 0))", status)
    }
    self.moment = moment
    self.ageMax = ageMax
  }

  /// The metrics, as a file holds them.
  package var text: String {
    let seconds = { (date: Date) in Int(date.timeIntervalSince1970) }
    return [
      series("vault_status", "Exit status of dbrescue vault status; 0 is fine.") {
        Int($0.exitStatus)
      },
      series("database_healthy", "Whether the database was looked at and nothing is wrong.") {
        $0.verdict == .healthy ? 1 : 0
      },
      series("database_size_bytes", "Size of the database file.", \.byteCount),
      series("backup_last_good_timestamp_seconds", "When the last good backup was made.") {
        $0.lastGood.map { seconds($0.created) }
      },
      series("backup_last_proven_timestamp_seconds", "When that backup was last proven.") {
        $0.lastProven.map(seconds)
      },
      series("backup_last_good_size_bytes", "Size of the last good backup.") {
        $0.lastGood?.byteCount
      },
      series("backup_growth_bytes", "Growth of the database since the backup before.", \.growth),
      series("backups", "Number of backups.") { $0.backups?.count },
      series("backups_size_bytes", "Size of all backups.", \.vaultByteCount),
      single("backup_max_age_seconds", "How old the last good backup may be.", Int(ageMax)),
      single("vault_status_timestamp_seconds", "When all this was looked at.", seconds(moment)),
    ].joined()
  }

  /// How every file of metrics begins.
  private static let beginning = "# HELP dbrescue_"

  private func head(_ name: String, _ help: String) -> String {
    "\(Self.beginning)\(name) \(help)\n# TYPE dbrescue_\(name) gauge\n"
  }

  private func single(_ name: String, _ help: String, _ value: Int) -> String {
    "\(head(name, help))dbrescue_\(name) \(value)\n"
  }

  private func series(
    _ name: String, _ help: String, _ value: (VaultStatus) -> Int?
  ) -> String {
    let lines = statuses.compactMap { database, status in
      value(status).map { "dbrescue_\(name){database=\"\(Self.escaped(database))\"} \($0)\n" }
    }
    return lines.isEmpty ? "" : head(name, help) + lines.joined()
  }

  /// The value of a label: only these three are special in it.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }

  /// Writes the metrics for everybody to read, whole or not at all.
  ///
  /// - Throws: ``RescueError``; what was there is there then. What does not begin as a file of metrics
  ///   is not replaced, and neither is one without a byte: a lock of somebody's is such a file.
  package func write(to output: RunFiles.Output, in world: World) throws(RescueError) {
    do {
      if try world.storage.status(of: output.path) != nil {
        let start = Bytes(Self.beginning.utf8)
        guard try world.storage.open(output.path, .read).read(at: 0, count: start.count) == start
        else {
          throw RescueError(
            .cannotWrite, "'\(output.path)' is there, and no file of metrics",
            meaning: "it was not replaced",
            advice: "choose another name for the metrics, or remove it if nobody needs it")
        }
      }
    } catch {
      throw RescueError(error, doing: "look at '\(output.path)'", meaning: "it was not replaced")
    }
    try output.write(Bytes(text.utf8), isForEverybody: true, world: world)
  }
}
