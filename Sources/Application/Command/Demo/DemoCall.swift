/// One example request of the demo, with its expected response.
struct DemoCall {
    /// The credential of the request.
    enum Credential {
        case none
        case bearer(DemoToken)
        case cookie(DemoToken)
        /// An ID token that is minted when the line runs, so that its sign-in is recent.
        case signIn(user: String)
    }

    /// A short description.
    let title: String
    var method = "GET"
    let url: String
    var credential = Credential.none
    /// The expected status.
    let status: Int
    var code: String?
    /// Text that the response must contain.
    var marks: [String] = []

    /// The expected status, with the code if present.
    var expectation: String {
        code.map { "\(status) \($0)" } ?? "\(status)"
    }

    /// The command line for `sh`, after the definitions of `DemoShellFile`.
    var shellLine: String {
        var words = ["curl", "-si"]
        if method != "GET" { words += ["-X", method] }
        switch credential {
        case .none: break
        case .bearer(let token): words += ["-H", "\"Authorization: Bearer $\(token.name)\""]
        case .cookie(let token): words += ["-b", "\"__session=$\(token.name)\""]
        case .signIn(let user): words += ["-H", "\"Authorization: Bearer $(sign_in \(ShellWord.quoted(user)))\""]
        }
        return (words + [ShellWord.quoted(url)]).joined(separator: " ")
    }

    /// Returns the difference of a response (status line, fields, body) from the expected one. `nil` if it matches.
    func flaw(in response: String) -> String? {
        let statusLine = response.prefix { $0 != "\r\n" && $0 != "\n" }
        guard statusLine.split(separator: " ").dropFirst().first == "\(status)" else {
            return "expected \(expectation), got \(statusLine.isEmpty ? "nothing" : "\(statusLine)")"
        }
        let wanted = (code.map { ["\"code\":\"\($0)\""] } ?? []) + marks
        return wanted.first { !response.contains($0) }.map { "expected \($0) in the response" }
    }
}

/// Words of shell commands.
enum ShellWord {
    /// Returns the text as one word, in quotes if it has a character that a shell may interpret.
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/:.,_-@+".utf8.contains(byte)
            }
        }
        return isPlain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
