import Diagnosis
enum ContractVerifier {
  static func verify(
    _ p: FilePath, against c: Contract?, tables: [TableDescription], frameworks: [FrameworkMatch]
  ) throws(RescueError) -> ContractVerification { ContractVerification() }
}
extension FreshSchema {
  init(contract: Contract) throws(RescueError) {
    self.init(entries: [], description: SchemaDescription(), userVersion: 0, applicationID: 0)
  }
}
