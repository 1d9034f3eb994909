// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
//
// dbrescue: one library, one command. Data flows one way:
// bytes → pages → b-trees → records → tables → findings → options → actions → run record,
// and a target imports only the targets listed above it.

import PackageDescription

let package = Package(
  name: "dbrescue",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "DatabaseRescue", targets: ["DatabaseRescue", "Diagnosis", "SQLiteFormat"]),
    .executable(name: "dbrescue", targets: ["dbrescue"]),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // What Swift has no names for, in C: the processor's own SHA-256.
    .target(name: "CDigest"),
    // The same for extended attributes of files.
    .target(name: "CFileAttributes"),
    .target(name: "SQLiteFormat"),
    .target(name: "Diagnosis", dependencies: ["SQLiteFormat"]),
    .target(
      name: "DatabaseRescue",
      dependencies: [
        "Diagnosis", "SQLiteFormat", "CSQLite", "CZlib", "CDigest", "CFileAttributes",
      ],
      exclude: ["DatabaseRescue.docc"], resources: [.embedInCode("playbooks")]),
    .target(name: "RescueCLI", dependencies: ["DatabaseRescue", "Diagnosis", "SQLiteFormat"]),
    .executableTarget(name: "dbrescue", dependencies: ["RescueCLI"]),

    // SQLite's file calls, told to the crash simulation.
    .target(name: "CWatchedVFS", dependencies: ["CSQLite"], path: "Tests/CWatchedVFS"),
    .target(
      name: "RescueTestSupport",
      dependencies: ["DatabaseRescue", "Diagnosis", "SQLiteFormat", "CWatchedVFS"],
      path: "Tests/RescueTestSupport"),

    // Runs the built program for the trials, with little privilege, and measures it.
    .executableTarget(
      name: "trial-runner", dependencies: ["CSQLite"], path: "Tests/TrialRunner"),

    // A program with a database, for the field theatre to kill and to copy under.
    .executableTarget(
      name: "theatre-writer", dependencies: ["DatabaseRescue"], path: "Tests/TheatreWriter"),

    // The bundled sample app, and the maker of the databases in `samples`.
    .target(
      name: "FitnessLog", dependencies: ["DatabaseRescue", "SQLiteFormat", "RescueTestSupport"],
      path: "samples/FitnessLog"),
    // How an app starts; it sees what an app sees: the public part of the library.
    .target(
      name: "AppStart", dependencies: ["DatabaseRescue", "Diagnosis"], path: "samples/AppStart",
      packageAccess: false),
    // The examples of the articles, and the start of an app on its way to `AppStart`: they see the
    // same.
    .target(
      name: "Guide", dependencies: ["DatabaseRescue", "Diagnosis"], path: "samples/Guide",
      packageAccess: false),
    .executableTarget(
      name: "fitness-log",
      dependencies: ["FitnessLog", "DatabaseRescue", "SQLiteFormat", "RescueTestSupport"],
      path: "samples/FitnessLogCommand"),
    .executableTarget(
      name: "make-samples",
      dependencies: [
        "FitnessLog", "DatabaseRescue", "Diagnosis", "SQLiteFormat", "RescueTestSupport",
      ],
      path: "samples/MakeSamples"),
    .executableTarget(
      name: "rescue-bench",
      dependencies: ["FitnessLog", "DatabaseRescue", "Diagnosis", "SQLiteFormat"],
      path: "samples/Bench"),

    .testTarget(
      name: "SQLiteFormatTests",
      dependencies: ["SQLiteFormat", "DatabaseRescue", "RescueTestSupport"]),
    .testTarget(
      name: "DiagnosisTests",
      dependencies: ["Diagnosis", "SQLiteFormat", "DatabaseRescue", "RescueTestSupport"]),
    .testTarget(
      name: "DatabaseRescueTests",
      dependencies: [
        "DatabaseRescue", "Diagnosis", "SQLiteFormat", "RescueTestSupport", "FitnessLog",
        "AppStart", "Guide",
      ]),
    .testTarget(
      name: "RescueCLITests",
      dependencies: [
        "RescueCLI", "DatabaseRescue", "Diagnosis", "RescueTestSupport", "FitnessLog",
      ]),
    .testTarget(
      name: "RescueSimulationTests",
      dependencies: [
        "DatabaseRescue", "Diagnosis", "SQLiteFormat", "RescueTestSupport", "FitnessLog",
      ]),
    .testTarget(
      name: "FieldTheatre",
      dependencies: ["DatabaseRescue", "Diagnosis", "SQLiteFormat", "RescueTestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

// Each step of the tutorial is a module of its own, as each has an `AppStart`.
for step in 1...3 {
  package.targets.append(
    .target(
      name: "AppStartStep\(step)", dependencies: ["DatabaseRescue", "Diagnosis"],
      path: "Sources/DatabaseRescue/DatabaseRescue.docc/Resources/step-\(step)",
      packageAccess: false))
}

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    // Every unsafe construct is spelled `unsafe`; SQLiteFormat and Diagnosis contain none.
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    // `any` marks existential types; imports are private to the file unless said otherwise.
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
  ]
}

// Most of what tests wait for is done in these two: optimized, the tests take a third of the time.
// Unsafe flags would keep apps from using the library, and so `make` alone asks for them.
if Context.environment["DBRESCUE_OPTIMIZED"] != nil {
  for target in package.targets where ["SQLiteFormat", "Diagnosis"].contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
  }
}
