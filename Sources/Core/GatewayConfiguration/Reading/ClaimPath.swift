/// The path of a value in the `auth` variable: `uid`, `provider`, `token.role`, `token.firebase.identities`,
/// `token["https://x.y/roles"]`.
package struct ClaimPath: Sendable, Hashable {
    /// The root of a path.
    package enum Root: String, Sendable, Hashable {
        /// The user's id.
        case uid
        /// The sign-in provider.
        case provider
        /// The token's claims.
        case token
    }

    /// The maximum size of a path, in bytes.
    package static let maximumLength = 512
    /// The maximum number of names after the root.
    package static let maximumDepth = 16

    /// The root of the path.
    package let root: Root
    /// The names of nested members of the token. Empty for `uid` and `provider`, otherwise 1 to `maximumDepth`.
    package let names: [String]

    /// Creates a path from valid parts.
    init(root: Root, names: [String]) {
        self.root = root
        self.names = names
    }

    /// Returns whether a text consists of characters of paths, so that an error is reported as that of a path.
    static func resembles(_ text: String) -> Bool {
        text.utf8.count <= maximumLength
            && text.unicodeScalars.allSatisfy { scalar in
                !scalar.isASCII || ClaimPathParser.continuesName(UInt8(ascii: scalar))
                    || ".[]\"'\\".unicodeScalars.contains(scalar)
            }
    }

    /// Parses a path.
    package init(parsing text: String) throws(ClaimPathError) {
        var parser = ClaimPathParser(text)
        self = try parser.parse()
    }
}

/// The reason that a text is not a claim path.
package struct ClaimPathError: Error, Sendable, Hashable {
    /// The position of the error in characters, from 1.
    package let position: Int
    /// The problem.
    package let what: String
    /// The remedy.
    package let remedy: String
}

extension ClaimPath: CustomStringConvertible {
    /// The path in a form that can be parsed again.
    package var description: String {
        names.reduce(into: root.rawValue) { text, name in
            text += Self.isPlain(name) ? ".\(name)" : "[\(Self.quoted(name))]"
        }
    }

    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, ClaimPathParser.beginsName(first) else { return false }
        return name.utf8.allSatisfy(ClaimPathParser.continuesName)
    }

    private static func quoted(_ name: String) -> String {
        let escaped = name.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }
        return "\"\(escaped.joined())\""
    }
}

/// A parser of claim paths: a root, then `.name` or `["name"]` any number of times.
package struct ClaimPathParser {
    private let text: [Unicode.Scalar]
    private let length: Int
    private var index = 0

    init(_ text: String) {
        self.text = Array(text.unicodeScalars.prefix(ClaimPath.maximumLength + 1))
        self.length = text.utf8.count
    }

    mutating func parse() throws(ClaimPathError) -> ClaimPath {
        guard length <= ClaimPath.maximumLength else {
            throw error("longer than \(ClaimPath.maximumLength) bytes", "shorten it")
        }
        let root = try parseRoot()
        var names: [String] = []
        while index < text.count {
            guard names.count < ClaimPath.maximumDepth else {
                throw error("more than \(ClaimPath.maximumDepth) names", "shorten it")
            }
            names.append(try parseStep())
        }
        return try checked(root, names)
    }

    static func beginsName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
    }

    package static func continuesName(_ byte: UInt8) -> Bool {
        beginsName(byte) || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
    }

    private mutating func parseRoot() throws(ClaimPathError) -> ClaimPath.Root {
        let name = takeName()
        if let root = ClaimPath.Root(rawValue: name) { return root }
        index = 0
        throw error(
            name.isEmpty ? "a path begins with a name" : "unknown root of a claim path",
            "begin with token, uid or provider")
    }

    private mutating func parseStep() throws(ClaimPathError) -> String {
        switch text[index] {
        case ".":
            index += 1
            return try parsePlainName()
        case "[":
            index += 1
            return try parseQuotedName()
        case let other:
            throw error("unexpected '\(other)'", "continue with .name or [\"name\"]")
        }
    }

    private mutating func parsePlainName() throws(ClaimPathError) -> String {
        let name = takeName()
        guard !name.isEmpty else {
            throw error("a name of letters, digits and '_' is missing", "write other names as token[\"name\"]")
        }
        return name
    }

    private mutating func parseQuotedName() throws(ClaimPathError) -> String {
        guard index < text.count, text[index] == "\"" || text[index] == "'" else {
            throw error("a quoted name is missing after '['", "write token[\"name\"]")
        }
        let quote = text[index]
        index += 1
        let name = try takeQuoted(until: quote)
        guard index < text.count, text[index] == "]" else {
            throw error("']' is missing after the name", "write token[\"name\"]")
        }
        index += 1
        return name
    }

    private mutating func takeQuoted(until quote: Unicode.Scalar) throws(ClaimPathError) -> String {
        var name = String.UnicodeScalarView()
        while index < text.count, text[index] != quote {
            if text[index] == "\\" { try skipEscape(quote) }
            name.append(text[index])
            index += 1
        }
        guard index < text.count else { throw error("the quoted name does not end", "close it with \(quote)]") }
        guard !name.isEmpty else { throw error("an empty name", "write the claim's name between the quotes") }
        index += 1
        return String(name)
    }

    private mutating func skipEscape(_ quote: Unicode.Scalar) throws(ClaimPathError) {
        let next = index + 1
        guard next < text.count, text[next] == quote || text[next] == "\\" else {
            throw error("an unknown escape", "the supported escapes are \\\(quote) and \\\\")
        }
        index = next
    }

    private mutating func takeName() -> String {
        let start = index
        while index < text.count, text[index].isASCII {
            let byte = UInt8(ascii: text[index])
            guard index == start ? Self.beginsName(byte) : Self.continuesName(byte) else { break }
            index += 1
        }
        return String(String.UnicodeScalarView(text[start..<index]))
    }

    private func checked(_ root: ClaimPath.Root, _ names: [String]) throws(ClaimPathError) -> ClaimPath {
        switch (root, names.isEmpty) {
        case (.token, true): throw error("token without a claim", "name the claim, as in token.role")
        case (.uid, false), (.provider, false):
            throw error("'\(root.rawValue)' is a string and has no members", "write \(root.rawValue) alone")
        default: return ClaimPath(root: root, names: names)
        }
    }

    private func error(_ what: String, _ remedy: String) -> ClaimPathError {
        ClaimPathError(position: index + 1, what: what, remedy: remedy)
    }
}
