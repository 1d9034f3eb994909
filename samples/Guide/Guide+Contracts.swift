// SPDX-License-Identifier: Apache-2.0
// What an app expects of its database.

public import DatabaseRescue
public import Diagnosis

extension Guide {
  /// Captures the contract of a healthy database.
  public func contract(of good: FilePath) throws -> Contract {
    // snippet
    let contract = try ContractSource.load(good, name: "fitness log")
    show("\(contract.name), version \(contract.userVersion)")
    // end
    return contract
  }
}
