import Authentication
import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import OutboundHTTP
import Testing

@testable import Diagnostics

@Suite struct TokenInspectionTests {
    typealias Change = @Sendable (FirebaseToken) -> FirebaseToken

    static let flaws: [(step: String, code: DecisionCode, change: Change)] = [
        ("kind", .argumentError, { $0.setting("aud", to: .string(FirebaseToken.customTokenAudience)) }),
        ("kid", .invalidIDToken, { $0.removingHeader("kid") }),
        ("key", .invalidIDToken, { $0.settingHeader("kid", to: "another") }),
        ("typ", .invalidIDToken, { $0.settingHeader("typ", to: "at+jwt") }),
        ("iss", .invalidIDToken, { $0.setting("iss", to: "https://securetoken.google.com/other") }),
        ("aud", .invalidIDToken, { $0.setting("aud", to: "other") }),
        ("sub", .invalidIDToken, { $0.setting("sub", to: "") }),
        ("exp", .idTokenExpired, { $0.expiring(at: Given.now) }),
        ("exp", .invalidIDToken, { $0.removing("exp") }),
        ("iat", .invalidIDToken, { $0.issued(at: Given.now + 100) }),
        ("nbf", .invalidIDToken, { $0.setting("nbf", to: .integer(Given.now + 100)) }),
        ("auth_time", .invalidIDToken, { $0.signedIn(at: Given.now + 100) }),
        ("firebase", .invalidIDToken, { $0.setting("firebase", to: "text") }),
        ("tenant", .tenantMismatch, { $0.inTenant("t1") }),
        ("user_id", .invalidIDToken, { $0.setting("user_id", to: "bob") }),
    ]

    @Test func `a valid ID token passes every check`() async throws {
        let inspection = try await Given.inspector().inspect(Given.idToken())
        #expect(inspection.isValid)
        #expect(inspection.steps.allSatisfy { $0.mark == .passed || $0.mark == .note })
    }

    @Test func `a session cookie is recognised by its issuer`() async throws {
        let inspection = try await Given.inspector().inspect(Given.sessionCookie())
        #expect(inspection.isValid)
        #expect(inspection.steps.contains(ExplanationStep(.passed, "kind", "a Firebase session cookie")))
    }

    @Test(arguments: flaws)
    func `a flaw fails its own check with the code of the request path`(
        step: String, code: DecisionCode, change: Change
    ) async throws {
        let inspection = try await Given.inspector().inspect(Given.idToken(.ada, change))
        #expect(inspection.code == code)
        #expect(inspection.steps.failures.first == step)
    }

    @Test func `every flaw is reported, not only the first`() async throws {
        let token = try Given.idToken { $0.setting("aud", to: "other").expiring(at: 1) }
        let inspection = try await Given.inspector().inspect(token)
        #expect(inspection.steps.failures == ["aud", "exp"])
        #expect(inspection.code == .invalidIDToken)
    }

    @Test(arguments: [Tampering.signatureBit, .payload, .header])
    func `a changed token fails at its signature`(tampering: Tampering) async throws {
        let inspection = try await Given.inspector().inspect(tampering.applied(to: Given.idToken()))
        #expect(inspection.code == .invalidIDToken)
        #expect(inspection.steps.contains { $0.name == "signature" && $0.mark == .failed })
    }

    @Test(arguments: [("", "shape"), ("a.b", "provider"), ("not a token", "shape"), ("eyJ9.eyJ9.x", "shape")])
    func `text that is not a compact JWS has no header or payload`(text: String, failed: String) async throws {
        let inspection = try await Given.inspector().inspect(text)
        #expect(inspection.code == .argumentError)
        #expect(inspection.header == nil && inspection.payload == nil)
        #expect(inspection.steps.failures == [failed])
    }

    @Test func `the signature is never shown`() async throws {
        let token = try Given.idToken()
        let signature = try #require(token.split(separator: ".").last)
        let inspection = try await Given.inspector().inspect(token)
        let all = [inspection.header ?? "", inspection.payload ?? ""] + inspection.steps.map(\.detail)
        #expect(!all.joined().contains(signature.prefix(16)))
    }

    @Test func `without keys the signature is unknown and the token not valid`() async throws {
        let inspection = try await Given.inspector(keys: KeyEvidenceSource.none).inspect(Given.idToken())
        #expect(inspection.code == .keysUnavailable)
        #expect(inspection.steps.filter { $0.mark == .unknown }.map(\.name) == ["key", "signature"])
    }

    @Test func `an unavailable source is named without its query`() async throws {
        let keys = KeyEvidenceSource { .failed(KeyFetchError(.unreachable), of: .url($0.url + "?secret=1")) }
        let inspection = try await Given.inspector(keys: keys).inspect(Given.idToken())
        let detail = try #require(inspection.steps["key"]?.detail)
        #expect(detail.contains("the connection failed") && !detail.contains("secret"))
    }

    @Test func `a token of the emulator needs no keys`() async throws {
        var configuration = Given.configuration([Given.route("/**")])
        configuration.identity.firebase?.insecureEmulator = true
        let inspector = try Given.inspector(configuration, keys: KeyEvidenceSource.none)
        let token = FirebaseToken.idToken(for: .ada, now: Given.now)
        #expect(try await inspector.inspect(token.unsigned()).isValid)
        #expect(try await inspector.inspect(try DevelopmentKeys.shared().sign(token)).code == .invalidIDToken)
    }

    @Test func `text of the token cannot drive a terminal`() async throws {
        let token = try Given.idToken {
            $0.setting("sub", to: "a\u{1B}[2J\u{9B}\u{202E}b").setting("x\u{7F}", to: "\u{85}")
        }
        let inspection = try await Given.inspector().inspect(token)
        let all = [inspection.payload ?? ""] + inspection.steps.map(\.detail)
        let scalars = all.joined().unicodeScalars.filter { $0 != "\n" }
        #expect(
            scalars.allSatisfy { $0.properties.generalCategory != .control && $0.properties.generalCategory != .format }
        )
        #expect(inspection.payload?.contains("a\\u001b[2J\\u009b\\u202eb") == true)
    }
}
