internal import SecurityRules

/// The text of rules, and a plain reading of its lines.
struct RuleInput {
    let source: RuleSource
    let bytes: [UInt8]
    /// How many scalars each line has.
    private let lines: [Int]

    init(_ bytes: [UInt8], name: String) {
        self.bytes = bytes
        source = RuleSource(bytes, name: name)
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.count { $0 & 0xC0 != 0x80 } }
    }

    /// Whether the text has the place, or its line ends right before it.
    func has(_ location: RuleLocation) -> Bool {
        lines.indices.contains(location.line - 1) && (1...lines[location.line - 1] + 1).contains(location.column)
    }

    /// Whether it is UTF-8, and short enough, without controls but blanks and line ends.
    var isText: Bool {
        bytes.count <= RuleSource.maximumSize && String(validating: bytes, as: UTF8.self) != nil
            && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 || $0 == 10 || $0 == 13 }
    }
}
