// SPDX-License-Identifier: Apache-2.0
// Runs programs one after the other as somebody who may do little, and tells how each ended and
// what it took. A small process of its own: the system counts the memory of who starts a program
// towards the program's.

let words = CommandLine.arguments.dropFirst()
switch (words.first, words.count) {
case ("run", 1): runJobs()
case ("judge", 2...): words.dropFirst().forEach(judge)
default:
  print("usage: trial-runner run < JOBS | trial-runner judge DATABASE ...")
  exitBadly()
}
