/// Where a value stands in the `auth` variable: `uid`, `provider`, `token.role`, `token.firebase.identities`,
/// `token["https://x.y/roles"]`.
package struct ClaimPath: Sendable, Hashable {
    /// What the path starts at.
    package enum Root: String, Sendable, Hashable {
        /// The user's id.
        case uid
        /// The sign-in provider.
        case provider
        /// The token's claims.
        case token
    }

    /// The most bytes that the text of a path may have.
    package static let maximumLength = 512
    /// The most names that may follow the root.
    package static let maximumDepth = 16

    /// What the path starts at.
    package let root: Root
    /// The member names below the token, from the outside in; empty for `uid` and `provider`, else 1 to `maximumDepth`.
    package let names: [String]

    /// A path of parts that are known to be valid.
    init(root: Root, names: [String]) {
        self.root = root
        self.names = names
    }

    /// Whether a text is made of what paths are made of, so that a mistake in it is told as one in a path.
    static func resembles(_ text: String) -> Bool {
        text.utf8.count <= maximumLength
            && text.unicodeScalars.allSatisfy { scalar in
                !scalar.isASCII || ClaimPathParser.continuesName(UInt8(ascii: scalar))
                    || ".[]\"'\\".unicodeScalars.contains(scalar)
            }
    }

    /// Reads the text of a path.
    package init(parsing text: String) throws(ClaimPathError) {
        var parser = ClaimPathParser(text)
        self = try parser.parse()
    }
}

/// Why a text is no claim path.
package struct ClaimPathError: Error, Sendable, Hashable {
    /// The 1-based character at which it stopped making sense.
    package let position: Int
    /// What is wrong there.
    package let what: String
    /// What to do about it.
    package let remedy: String
}

extension ClaimPath: CustomStringConvertible {
    /// The path in the form in which it can be read again.
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
