import JOSE

/// The body of a sign-in to the console: `{"token": "...", "name": "..."}`; the name is optional.
struct SignInForm {
    /// The maximum length of the name, in characters.
    static let longestName = 64

    let token: String
    let name: String?

    /// Parses a body. `nil` if it has another form, or a name that is empty, too long, or not printable.
    init?(_ body: [UInt8]) {
        guard let document = try? JSONDocument(body, limits: JSONLimits(size: 4_096, depth: 1, members: 4)),
            document.root.kind == .object, let token = document.root["token"]?.string
        else { return nil }
        for (member, _) in document.root.members where member != "token" && member != "name" { return nil }
        guard let value = document.root["name"] else {
            (self.token, name) = (token, nil)
            return
        }
        guard let name = value.string, (1...Self.longestName).contains(name.count), name.utf8.count <= 256,
            name.unicodeScalars.allSatisfy({ Self.isPrintable($0) })
        else { return nil }
        (self.token, self.name) = (token, name)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }
}
