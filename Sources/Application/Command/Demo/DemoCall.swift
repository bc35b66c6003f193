/// One request that the demo offers to paste, and what it will say.
struct DemoCall {
    /// How the request is signed in.
    enum Credential {
        case none
        /// A field with a value that does not change.
        case field(name: String, value: String)
        /// An ID token that is minted when the line runs, so that its sign-in is always fresh.
        case signIn(user: String, mintURL: String)
    }

    /// What happens, in half a sentence.
    let title: String
    var method = "GET"
    let url: String
    var credential = Credential.none
    /// What comes back.
    let status: Int
    var code: String?
    /// Parts of the answer that must be there besides.
    var marks: [String] = []

    /// The status, and the code where there is one.
    var expectation: String {
        code.map { "\(status) \($0)" } ?? "\(status)"
    }

    /// A line for `sh`.
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

    /// In single quotes, in which nothing but their end is special.
    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }

    /// What is missing in the text of an answer (status line, fields, body); nil where it is as promised.
    func flaw(in answer: String) -> String? {
        let statusLine = answer.prefix { $0 != "\r\n" && $0 != "\n" }
        guard statusLine.split(separator: " ").dropFirst().first == "\(status)" else {
            return "expected \(expectation), got \(statusLine.isEmpty ? "nothing" : "\(statusLine)")"
        }
        let wanted = (code.map { ["\"code\":\"\($0)\""] } ?? []) + marks
        return wanted.first { !answer.contains($0) }.map { "expected \($0) in the answer" }
    }
}
