import JOSE

@testable import Authentication

/// A token before it is made. It is right until mutations change it, in whichever step of its making they choose.
struct TokenDraft: Sendable {
    typealias Edit = @Sendable ([UInt8]) -> [UInt8]

    static let project = "my-app"
    static let now: Int64 = 1_700_000_000

    let kind: CredentialKind
    var header: Members
    var claims: Members
    /// Changes of the JSON text.
    var headerJSON: [Edit] = []
    var payloadJSON: [Edit] = []
    /// Changes of the encoded parts, which are signed.
    var encodedHeader: [Edit] = []
    var encodedPayload: [Edit] = []
    var signer = Signer.first
    var signature: [Edit] = []
    /// Changes of the signature's text, and then of the whole token's.
    var encodedSignature: [Edit] = []
    var token: [Edit] = []

    /// A token as Firebase writes it.
    init(_ kind: CredentialKind) {
        self.kind = kind
        let now = Self.now
        let host = kind == .idToken ? "securetoken.google.com" : "session.firebase.google.com"
        header = Members(["alg": "\"RS256\"", "kid": "\"key-1\"", "typ": "\"JWT\""])
        claims = Members([
            "iss": "\"https://\(host)/\(Self.project)\"", "aud": "\"\(Self.project)\"", "auth_time": "\(now - 100)",
            "user_id": "\"user-1\"", "sub": "\"user-1\"", "iat": "\(now - 50)", "exp": "\(now + 3500)",
            "email": "\"a@example.com\"", "email_verified": "true", "role": "\"editor\"",
            "firebase": #"{"identities":{"google.com":["1"]},"sign_in_provider":"google.com"}"#,
        ])
    }

    func made(with keys: OracleKeys) throws -> [UInt8] {
        let input =
            part(header.text, headerJSON, encodedHeader) + [UInt8(ascii: ".")]
            + part(claims.text, payloadJSON, encodedPayload)
        let raw = apply(signature, to: try signer.signature(over: input, keys: keys))
        return apply(token, to: input + [UInt8(ascii: ".")] + apply(encodedSignature, to: encode(raw)))
    }

    private func part(_ text: String, _ json: [Edit], _ encoded: [Edit]) -> [UInt8] {
        apply(encoded, to: encode(apply(json, to: Array(text.utf8))))
    }

    private func apply(_ edits: [Edit], to bytes: [UInt8]) -> [UInt8] { edits.reduce(bytes) { $1($0) } }

    private func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        Base64URL.encode(bytes, into: &text)
        return text
    }
}

/// The members of a JSON object as they will be written: in order, repeated where a test wants that, each as JSON text.
struct Members: Sendable {
    /// Names with their quotes.
    private(set) var list: [(name: String, value: String)] = []

    init(_ members: KeyValuePairs<String, String>) {
        list = members.map { ("\"\($0.key)\"", $0.value) }
    }

    /// The JSON text of the first value of a name. Setting `nil` removes all of them.
    subscript(name: String) -> String? {
        get { list.first { $0.name == "\"\(name)\"" }?.value }
        set {
            let index = list.firstIndex { $0.name == "\"\(name)\"" }
            guard let newValue else { return list.removeAll { $0.name == "\"\(name)\"" } }
            if let index { list[index].value = newValue } else { append("\"\(name)\"", newValue) }
        }
    }

    mutating func append(_ quotedName: String, _ value: String) { list.append((quotedName, value)) }

    mutating func prepend(_ quotedName: String, _ value: String) { list.insert((quotedName, value), at: 0) }

    /// Spells a name otherwise, the value being as it is.
    mutating func rename(_ name: String, to quotedName: String) {
        for index in list.indices where list[index].name == "\"\(name)\"" { list[index].name = quotedName }
    }

    var text: String { "{" + list.map { "\($0.name):\($0.value)" }.joined(separator: ",") + "}" }
}
