/// One example request of the demo, with its expected response.
struct DemoCall {
    /// The credential of the request.
    enum Credential {
        case none
        /// A field with a constant value.
        case field(name: String, value: String)
        /// An ID token that is minted when the line runs, so that its sign-in is recent.
        case signIn(user: String, mintURL: String)
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

    /// The command line for `sh`.
    var shellLine: String {
        var words = ["curl", "-si"]
        if method != "GET" { words += ["-X", method] }
        switch credential {
        case .none: break
        case .field(let name, let value): words += ["-H", Self.quoted("\(name): \(value)")]
        case .signIn(let user, let mintURL):
            let body = Self.quoted("{\"user\":\"\(user)\"}")
            let minted = "curl -s -d \(body) \(Self.quoted(mintURL)) | sed 's/.*\"token\":\"\\([^\"]*\\)\".*/\\1/'"
            words += ["-H", "\"Authorization: Bearer $(\(minted))\""]
        }
        return (words + [Self.quoted(url)]).joined(separator: " ")
    }

    /// Quotes text for a shell.
    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }

    /// Returns the difference of a response (status line, fields, body) from the expected one. `nil` if it matches.
    func flaw(in answer: String) -> String? {
        let statusLine = answer.prefix { $0 != "\r\n" && $0 != "\n" }
        guard statusLine.split(separator: " ").dropFirst().first == "\(status)" else {
            return "expected \(expectation), got \(statusLine.isEmpty ? "nothing" : "\(statusLine)")"
        }
        let wanted = (code.map { ["\"code\":\"\($0)\""] } ?? []) + marks
        return wanted.first { !answer.contains($0) }.map { "expected \($0) in the answer" }
    }
}
