// SPDX-License-Identifier: Apache-2.0
// `dbrescue merge`: one database of several, damaged or not.

import DatabaseRescue
import Diagnosis

/// Merges databases into a new one.
let mergeCommand: CommandBody = { invocation, context throws(RescueError) in
  let inputs = [invocation.path(.oldest)] + invocation.paths(.newer)
  var policy = MergePolicy()
  policy.preference = invocation.requiredChoice(.prefer)
  policy.newerBy = invocation.texts(.newerBy)
  policy.renumbered = invocation.texts(.renumber)
  policy.renumbersAll = invocation.isSet(.renumberAll)
  let output = invocation.requiredPath(.output)
  var files = context.files(invocation)
  let reportFile = try context.reportFile(invocation, in: &files)
  let result = try context.rescue.merge(
    inputs, to: output, policy: policy, replacing: invocation.isSet(.force), files: files)
  let answer = MergeAnswer(result)
  let exit = try context.give(answer, of: result)
  if let reportFile {
    try context.rescue.concluding(result) { () throws(RescueError) in
      try context.save(answer.rendered(as: reportFile.format), as: reportFile.output)
    }
  }
  if let imbalance = result.value.imbalance { throw imbalance }
  return exit
}
