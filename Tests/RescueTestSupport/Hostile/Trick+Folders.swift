// SPDX-License-Identifier: Apache-2.0
// Tricks in the folders around a database: what was sent along with it, links, and names like ours.

import DatabaseRescue
import SQLiteFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension HostileGround {
  /// Makes a symbolic link.
  func link(_ name: FilePath, to target: String) throws {
    let path = root.appending(name)
    try SystemStorage().createFolder(path.folder)
    try SystemStorage().remove(path)
    guard unsafe symlink(resolve(target), path.description) == 0 else {
      throw StorageError(operation: "link", path: path, errno: errno)
    }
  }
}

extension Trick {
  private static let code = "DBR-472AS-R000F-ZRNJC-8PQ9A"

  private static func target(_ random: inout SeededRandom) -> String {
    // Never a place outside the case: the program that is tried may follow a link and delete.
    random.pick(["{folder}", "../../canary/folder", "{file}", "{victim}", "../canary", "/dev/zero"])
  }

  /// A folder that came with the database as if it were ours.
  static func rescueFolder(_ random: inout SeededRandom) -> Trick {
    let rescue = "in/app.db.rescue/"
    let target = target(&random)
    let method = random.pick(["move", "transaction", "nonsense"])
    let plan = random.pick([
      "{\"code\":\"\(code)\",\"method\":\"\(method)\"}",
      "{\"code\":\"../../../canary/folder\",\"method\":\"move\"}", "{", "null", "[]",
      "{\"code\":\"\(code)\",\"method\":{\"move\":{}}}",
    ])
    let places = random.pick([
      ["quarantine/zz"], ["quarantine/\(code)"], ["quarantine/\(code)/app.db"], ["quarantine"],
      ["backups"],
      ["backups/app.db.20240101T000000Z.v0.AAAAAAAA.db.gz"], ["dbrescue-abc"], [".\(code).new"],
      ["quarantine/\(code)/app.db-wal", "quarantine/\(code)/app.db"], [".DBR-x"],
      ["plan.json.partial"],
      ["dbrescue-abc/x"], ["lock"], ["backups/dbrescue-abc/x"], ["."],
    ])
    let hasPlan = random.below(2) == 0
    var trick = Trick(
      "a rescue folder with \(places) → \(target)" + (hasPlan ? ", plan \(plan)" : ""))
    trick.place = { ground in
      if places == ["."] { return try ground.link("in/app.db.rescue", to: target) }
      for place in places { try ground.link(FilePath(rescue + place), to: target) }
      if hasPlan, places != ["quarantine"] {
        try ground.write(Bytes(plan.utf8), to: FilePath(rescue + "plan.json"))
      }
      try ground.write(Bytes("kept".utf8), to: FilePath(rescue + "notes.txt"))
    }
    return trick
  }

  /// Links, and folders with names like those of private copies.
  static func links(_ random: inout SeededRandom) -> Trick {
    let target = target(&random)
    let ours = random.pick([
      "dbrescue-main", "dbrescue-abc", "dbrescue-0123456789abc", "dbrescue-x",
    ])
    let kind = random.below(8)
    let name: String =
      switch kind {
      case 0: "tmp/\(ours)"
      case 1: "tmp/\(ours)/x"
      case 2: "out/\(ours)/x"
      case 3: "in/app.db-wal"
      case 4: "in/app.db-journal"
      case 5: "vault/\(ours)"
      case 6: "out/salvaged.db.quarantine.db"
      default: "in/\(ours)/x"
      }
    var trick = Trick("\(name) → \(target)")
    trick.sparesSound = kind != 3 && kind != 4
    trick.place = { ground in
      try ground.link(FilePath(name), to: target)
      if name.hasSuffix("/x") {
        try ground.write(
          Bytes("mine".utf8), to: FilePath(String(name.dropLast()) + "Sources/main.swift"))
      }
    }
    return trick
  }
}
