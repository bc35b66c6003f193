/// Finds what YAML allows and a configuration may not have: anchors, aliases and tags, and tabs as indentation.
///
/// It runs before the YAML parser, since an alias costs nothing in the file and, expanded, any amount of memory. It
/// knows of YAML only as much as telling the beginning of a value from the inside of a text, a comment or a block
/// needs.
struct YAMLPrecheck {
    private let source: SourceText
    private var findings: [ConfigurationError] = []
    private var quote: Unicode.Scalar?
    private var flowDepth = 0
    /// Inside a block text (`|`, `>`): lines with more indentation than this belong to it.
    private var blockIndentation: Int?

    /// What was found in the source, in order.
    static func findings(in source: SourceText) -> [ConfigurationError] {
        var check = YAMLPrecheck(source: source)
        for (index, line) in source.scalars.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            check.scan(Array(line), number: index + 1)
        }
        return check.findings
    }

    private init(source: SourceText) {
        self.source = source
    }

    private mutating func scan(_ line: [Unicode.Scalar], number: Int) {
        let indentation = line.firstIndex { $0 != " " } ?? line.count
        let isBlank = line.allSatisfy { $0 == " " || $0 == "\t" || $0 == "\r" }
        if quote == nil {
            if isBlank { return }
            if let block = blockIndentation, indentation > block { return }
            blockIndentation = nil
            refuseTab(line, indentation, number)
        }
        var cursor = Cursor(line: line, number: number, parent: indentation - 1)
        while cursor.index < line.count {
            step(&cursor)
        }
    }

    private mutating func refuseTab(_ line: [Unicode.Scalar], _ indentation: Int, _ number: Int) {
        guard line[indentation] == "\t", line.first(where: { $0 != " " && $0 != "\t" }) != "#" else { return }
        report(number, indentation + 1, "a tab as indentation", "indent with spaces")
    }

    /// Where in a line the scan is.
    private struct Cursor {
        let line: [Unicode.Scalar]
        let number: Int
        /// The column of the entry that a block text would belong to.
        var parent: Int
        var index = 0
        /// Whether a value or a key may begin here.
        var isAtStart = true
        var isAfterSpace = true

        var current: Unicode.Scalar { line[index] }
        var isBeforeSpace: Bool {
            index + 1 == line.count || line[index + 1] == " " || line[index + 1] == "\t" || line[index + 1] == "\r"
        }
        mutating func skipWord() {
            while index < line.count && !isBeforeSpace && line[index + 1] != "," { index += 1 }
        }

        mutating func skipLine() { index = line.count }
    }

    private mutating func step(_ cursor: inout Cursor) {
        defer { cursor.index += 1 }
        if let quote { return passQuoted(&cursor, quote) }
        switch cursor.current {
        case " ", "\t": cursor.isAfterSpace = true
        case "#" where cursor.isAfterSpace: cursor.skipLine()
        default:
            cursor.isAfterSpace = false
            if flowDepth > 0 && passFlow(&cursor) { return }
            if cursor.current == ":" && cursor.isBeforeSpace { return cursor.isAtStart = true }
            if cursor.isAtStart { begin(&cursor) }
        }
    }

    private mutating func passQuoted(_ cursor: inout Cursor, _ quote: Unicode.Scalar) {
        if quote == "\"" && cursor.current == "\\" { return cursor.index += 1 }
        guard cursor.current == quote else { return }
        let isDoubled = cursor.index + 1 < cursor.line.count && cursor.line[cursor.index + 1] == quote
        if quote == "'" && isDoubled { return cursor.index += 1 }
        self.quote = nil
        cursor.isAtStart = false
        cursor.isAfterSpace = false
    }

    private mutating func passFlow(_ cursor: inout Cursor) -> Bool {
        switch cursor.current {
        case ",": cursor.isAtStart = true
        case ":" where !cursor.isAtStart: cursor.isAtStart = true
        case "[", "{":
            flowDepth += 1
            cursor.isAtStart = true
        case "]", "}":
            flowDepth -= 1
            cursor.isAtStart = false
        default: return false
        }
        return true
    }

    private mutating func begin(_ cursor: inout Cursor) {
        switch cursor.current {
        case "-" where cursor.isBeforeSpace, "?" where cursor.isBeforeSpace:
            cursor.parent = cursor.index
        case "'", "\"":
            quote = cursor.current
            beginEntry(&cursor)
        case "[", "{":
            flowDepth += 1
        case "|", ">":
            blockIndentation = cursor.parent
            cursor.skipLine()
        case "&", "*", "!":
            refuse(cursor)
            // After an anchor or a tag its value begins; after an alias, nothing.
            cursor.isAtStart = cursor.current != "*"
            cursor.skipWord()
        default:
            beginEntry(&cursor)
        }
    }

    private func beginEntry(_ cursor: inout Cursor) {
        cursor.parent = cursor.index
        cursor.isAtStart = false
    }

    private mutating func refuse(_ cursor: Cursor) {
        let kind =
            switch cursor.current {
            case "&": "YAML anchors ('&')"
            case "*": "YAML aliases ('*')"
            default: "YAML tags ('!')"
            }
        report(
            cursor.number, cursor.index + 1, "\(kind) are not allowed",
            "put a text that begins with '\(cursor.current)' in quotes")
    }

    private mutating func report(_ line: Int, _ column: Int, _ what: String, _ remedy: String) {
        guard findings.count <= ConfigurationErrors.maximumCount else { return }
        let location = SourceLocation(file: source.file, line: line, column: column)
        findings.append(ConfigurationError(location: location, what: what, remedy: remedy))
    }
}
