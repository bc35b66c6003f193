// Reaches internal types, which a release build has only with -enable-testing: script/fuzz sets both.
#if DEBUG || FUZZING
    @testable internal import RequestPipeline
    @testable internal import Accounts
    internal import JOSE
    internal import WireFuzzTargets

    /// Whole calls with claims of the fuzzer's choice: signed by a key of the target, or answered by a provider, so that nothing but the claims
    /// can be refused.
    ///
    /// The input is at most 6 lines `CALL SOURCE NAME=JSON ...`, such as `reauthenticate oidc iat=-9223372036854775807 auth_time=`: an empty value
    /// removes the claim. `plain` among them leaves the nonce out.
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
        /// A number of its own, so that no two tokens are one.
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

    /// Whose token, or whose answer about an opaque one.
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

        /// The members of a good token, or of a good answer.
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

        /// What the provider answers about its opaque token.
        var answer: [UInt8] {
            source == .facebook ? Array(#"{"data":"#.utf8) + object() + Array("}".utf8) : object()
        }
    }
#endif
