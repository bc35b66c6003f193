// Reaches internal types, which a release build has only with -enable-testing: script/fuzz sets both.
#if DEBUG || FUZZING
    @testable internal import RequestPipeline
    @testable internal import Accounts
    internal import JOSE
    internal import WireFuzzTargets

    /// Whole calls with claims from the input. A key of the target signs them, or a provider returns them: only the
    /// claims can be invalid.
    ///
    /// The input is at most 6 lines `CALL SOURCE NAME=JSON ...`, such as `reauthenticate oidc iat=-1 auth_time=`.
    /// An empty value removes the claim. The word `plain` removes the nonce.
    public func fuzzAccountClaims(_ input: [UInt8]) async {
        guard let gateway = await FuzzedGateway() else {
            return require(false, "the gateway of the target can be made")
        }
        let lines = input.split(separator: UInt8(ascii: "\n")).prefix(6)
        for (number, line) in lines.enumerated() {
            guard let call = FuzzedCall(line, number: number) else { continue }
            await call.run(on: gateway)
        }
    }

    /// One line of the input.
    struct FuzzedCall {
        private let name: Substring
        let source: FuzzedSource
        /// Makes each token unique.
        let number: Int
        let hasNonce: Bool
        let changes: [(name: String, json: String)]

        init?(_ line: ArraySlice<UInt8>, number: Int) {
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard words.count >= 2, let source = FuzzedSource(rawValue: String(words[1])) else { return nil }
            (name, self.source, self.number) = (words[0], source, number)
            hasNonce = !words.contains("plain")
            changes = words.dropFirst(2).prefix(24).compactMap { word in
                guard let equals = word.firstIndex(of: "=") else { return nil }
                return (String(word[..<equals]), String(word[word.index(after: equals)...]))
            }
        }

        func run(on gateway: FuzzedGateway) async {
            switch name {
            case "request": gateway.checkRequest(self)
            case "event": await gateway.checkEvent(self, .appleEvents)
            case "logout": await gateway.checkEvent(self, .backchannelLogout)
            case "sign-in": await gateway.checkCall(self, .signIn)
            case "reauthenticate": await gateway.checkCall(self, .reauthenticate)
            case "session": await gateway.checkCall(self, .session)
            case "link": await gateway.checkCall(self, .link)
            default: break
            }
        }
    }

    /// The issuer of a token, or the provider that checks an opaque one.
    enum FuzzedSource: String, CaseIterable {
        case firebase, google, oidc, apple, facebook, github, legacy

        var isOpaque: Bool { self == .facebook || self == .github || self == .legacy }

        var provider: String {
            switch self {
            case .firebase: ""
            case .google: "google.com"
            case .oidc: "oidc.corp"
            case .apple: "apple.com"
            case .facebook: "facebook.com"
            case .github: "github.com"
            case .legacy: "oauth.legacy"
            }
        }

        private var issuer: String {
            switch self {
            case .firebase: "https://securetoken.google.com/my-app"
            case .google: "https://accounts.google.com"
            case .apple: "https://appleid.apple.com"
            default: "https://corp.example"
            }
        }

        /// The members of a valid token, or of a valid response.
        func members(now: Int64) -> [String: String] {
            switch self {
            case .facebook:
                [
                    "app_id": #""gw""#, "type": #""USER""#, "is_valid": "true", "user_id": #""104""#,
                    "issued_at": "\(now)", "expires_at": "\(now + 3600)", "scopes": "[]",
                ]
            case .github:
                [
                    "app": #"{"client_id":"gw"}"#, "user": #"{"id":104,"login":"ada"}"#, "scopes": "[]",
                    "created_at": #""2026-11-22T12:00:00Z""#, "expires_at": "null",
                ]
            case .legacy:
                [
                    "active": "true", "sub": #""104""#, "aud": #""api""#, "iat": "\(now)", "exp": "\(now + 3600)",
                    "auth_time": "\(now)",
                ]
            default:
                [
                    "iss": "\"\(issuer)\"", "aud": self == .firebase ? #""my-app""# : #""client-1""#,
                    "sub": #""104""#, "iat": "\(now)", "exp": "\(now + 3600)", "auth_time": "\(now)",
                    "email": #""a@example.com""#, "email_verified": "true",
                ]
            }
        }
    }

    extension FuzzedCall {
        /// The members with the changes of the line; `more` come first.
        func object(_ more: [String: String] = [:]) -> [UInt8] {
            var members = source.members(now: FuzzedGateway.now).merging(more) { $1 }
            for change in changes { members[change.name] = change.json.isEmpty ? nil : change.json }
            let text = members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
            return Array("{\(text)}".utf8)
        }

        /// The response of the provider about its opaque token.
        var answer: [UInt8] {
            source == .facebook ? Array(#"{"data":"#.utf8) + object() + Array("}".utf8) : object()
        }
    }

    /// Returns the input of `fuzzAccountClaims` for a number: calls with claims at the edges of their types.
    public func accountClaimsInput(_ number: UInt64) -> [UInt8] {
        var seed = withUnsafeBytes(of: number) { InputSeed($0) }
        let lines = (0..<Int.random(in: 1...4, using: &seed)).map { _ in line(&seed) }
        return Array(lines.joined(separator: "\n").utf8)
    }

    private func line(_ seed: inout InputSeed) -> String {
        let call = calls.randomElement(using: &seed) ?? ""
        let source = FuzzedSource.allCases.randomElement(using: &seed) ?? .oidc
        let names = source == .facebook ? facebookNames : source == .github ? gitHubNames : claimNames
        let changes = (0..<Int.random(in: 1...4, using: &seed)).map { _ in
            "\(names.randomElement(using: &seed) ?? "")=\(value(&seed))"
        }
        let isPlain = Int.random(in: 0..<4, using: &seed) == 0
        return ([call, source.rawValue] + changes + (isPlain ? ["plain"] : [])).joined(separator: " ")
    }

    private let calls = [
        "request", "event", "logout", "sign-in", "reauthenticate", "reauthenticate", "session", "link",
    ]
    private let claimNames = ["iat", "auth_time", "exp", "nbf", "sub", "aud", "events", "jti", "amr"]
    private let facebookNames = ["issued_at", "expires_at", "user_id", "is_valid"]
    private let gitHubNames = ["created_at", "expires_at", "user", "app", "scopes"]

    private let edges = [
        "-9223372036854775808", "-9223372036854775807", "9223372036854775807", "9223372036854775806",
        "9223372036854775808", "-9223372036854775809", "18446744073709551615", "99999999999999999999999", "1e18",
        "9.3e18", "-9.3e18", "1e19", "1e308", "-1e308", "1e999", "5e-324", "0.5", "-0.5", "-0", "0", "-1", "1",
        "100000000000", "100000000001", "99999999999", "253402300799", "2147483647", "4294967296",
        "9007199254740993", "-62135596800", "true", "null", "[]", "{}", "\"\"", "\"1\"", "\"-9223372036854775808\"",
        "\"0001-01-01T00:00:00Z\"", "\"0000-12-31T23:59:59Z\"", "\"9999-12-31T23:59:59-23:59\"",
        "\"1969-12-31T23:59:59Z\"", "\"2026-11-22T12:00:00.5+14:00\"", "",
    ]

    private func value(_ seed: inout InputSeed) -> String {
        switch Int.random(in: 0..<5, using: &seed) {
        case 0: "\(FuzzedGateway.now &+ Int64.random(in: -400...400, using: &seed))"
        case 1: "\(Int64.random(in: .min ... .max, using: &seed))"
        case 2: "\(Double(sign: .plus, exponent: Int.random(in: -40...70, using: &seed), significand: 1.5))"
        default: edges.randomElement(using: &seed) ?? "0"
        }
    }
#endif
