// SPDX-License-Identifier: Apache-2.0
// Damage as it is written on a command line: `kind`, or `kind:number`, or `kind:number,number`.

extension Damage: CustomStringConvertible {
  /// The kinds as they are written, for help and error messages.
  package static let usages = [
    "zero-page:PAGE", "random-page:PAGE", "zero-range:OFFSET,COUNT", "truncate-bytes:COUNT",
    "truncate:PERCENT", "flip-bit:OFFSET,BIT", "wipe-header", "copy-page:FROM,TO",
    "swap-pages:PAGE,PAGE",
    "break-cell-pointer:PAGE,CELL", "wipe-cell-pointers:PAGE", "cut-overflow:PAGE",
    "loop-freelist", "page-type:PAGE,TYPE", "append:COUNT", "prepend:COUNT",
    "insert:OFFSET,COUNT", "leave-out:OFFSET,COUNT", "crlf",
  ]

  /// Reads a kind of damage such as `zero-page:100`; nil when there is none of that form.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let words = parts.count == 2 ? parts[1].split(separator: ",") : []
    let numbers = words.compactMap { Int($0) }
    guard let kind = parts.first, numbers.count == words.count else { return nil }
    switch (kind, numbers.count) {
    case ("zero-page", 1): self = .zeroPage(numbers[0])
    case ("random-page", 1): self = .randomPage(numbers[0])
    case ("zero-range", 2): self = .zeroRange(offset: numbers[0], count: numbers[1])
    case ("truncate-bytes", 1): self = .truncate(bytes: numbers[0])
    case ("truncate", 1): self = .truncatePercent(numbers[0])
    case ("flip-bit", 2): self = .flipBit(offset: numbers[0], bit: numbers[1])
    case ("wipe-header", 0): self = .wipeHeader
    case ("copy-page", 2): self = .copyPage(from: numbers[0], to: numbers[1])
    case ("swap-pages", 2): self = .swapPages(numbers[0], numbers[1])
    case ("break-cell-pointer", 2): self = .breakCellPointer(page: numbers[0], cell: numbers[1])
    case ("wipe-cell-pointers", 1): self = .wipeCellPointers(page: numbers[0])
    case ("cut-overflow", 1): self = .cutOverflow(page: numbers[0])
    case ("loop-freelist", 0): self = .loopFreelist
    case ("page-type", 2):
      guard let type = UInt8(exactly: numbers[1]) else { return nil }
      self = .pageType(page: numbers[0], type: type)
    case ("append", 1): self = .append(count: numbers[0])
    case ("prepend", 1): self = .prepend(count: numbers[0])
    case ("insert", 2): self = .insert(offset: numbers[0], count: numbers[1])
    case ("leave-out", 2): self = .leaveOut(offset: numbers[0], count: numbers[1])
    case ("crlf", 0): self = .crlf
    default: return nil
    }
  }

  /// The damage as it is written.
  package var description: String {
    switch self {
    case .zeroPage(let page): "zero-page:\(page)"
    case .randomPage(let page): "random-page:\(page)"
    case .zeroRange(let offset, let count): "zero-range:\(offset),\(count)"
    case .truncate(let count): "truncate-bytes:\(count)"
    case .truncatePercent(let percent): "truncate:\(percent)"
    case .flipBit(let offset, let bit): "flip-bit:\(offset),\(bit)"
    case .wipeHeader: "wipe-header"
    case .copyPage(let from, let to): "copy-page:\(from),\(to)"
    case .swapPages(let first, let second): "swap-pages:\(first),\(second)"
    case .breakCellPointer(let page, let cell): "break-cell-pointer:\(page),\(cell)"
    case .wipeCellPointers(let page): "wipe-cell-pointers:\(page)"
    case .cutOverflow(let page): "cut-overflow:\(page)"
    case .loopFreelist: "loop-freelist"
    case .pageType(let page, let type): "page-type:\(page),\(type)"
    case .append(let count): "append:\(count)"
    case .prepend(let count): "prepend:\(count)"
    case .insert(let offset, let count): "insert:\(offset),\(count)"
    case .leaveOut(let offset, let count): "leave-out:\(offset),\(count)"
    case .crlf: "crlf"
    }
  }
}
