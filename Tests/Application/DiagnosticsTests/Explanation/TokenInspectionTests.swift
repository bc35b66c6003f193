import Authentication
import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import OutboundHTTP
import Testing

@testable import Diagnostics

@Suite struct TokenInspectionTests {
    struct Flaw: Sendable, CustomTestStringConvertible {
        let step: String
        let code: DecisionCode
        let change: @Sendable (FirebaseToken) -> FirebaseToken
        var testDescription: String { step }

        init(
            _ step: String, _ code: DecisionCode = .invalidIDToken,
            _ change: @escaping @Sendable (FirebaseToken) -> FirebaseToken
        ) {
            self.step = step
            self.code = code
            self.change = change
        }
    }

    static let flaws = [
        Flaw("kind", .argumentError) { $0.setting("aud", to: .string(FirebaseToken.customTokenAudience)) },
        Flaw("kid") { $0.removingHeader("kid") },
        Flaw("key") { $0.settingHeader("kid", to: "another") },
        Flaw("typ") { $0.settingHeader("typ", to: "at+jwt") },
        Flaw("iss") { $0.setting("iss", to: "https://securetoken.google.com/other") },
        Flaw("aud") { $0.setting("aud", to: "other") },
        Flaw("sub") { $0.setting("sub", to: "") },
        Flaw("exp", .idTokenExpired) { $0.expiring(at: Given.now) },
        Flaw("exp") { $0.removing("exp") },
        Flaw("iat") { $0.issued(at: Given.now + 100) },
        Flaw("nbf") { $0.setting("nbf", to: .integer(Given.now + 100)) },
        Flaw("auth_time") { $0.signedIn(at: Given.now + 100) },
        Flaw("firebase") { $0.setting("firebase", to: "text") },
        Flaw("tenant", .tenantMismatch) { $0.inTenant("t1") },
        Flaw("user_id") { $0.setting("user_id", to: "bob") },
    ]

    @Test func aValidIDTokenPassesEveryCheck() async throws {
        let inspection = try await Given.inspector().inspect(Given.idToken())
        #expect(inspection.isValid)
        #expect(inspection.steps.allSatisfy { $0.mark == .passed || $0.mark == .note })
    }

    @Test func aSessionCookieIsToldByItsIssuer() async throws {
        let inspection = try await Given.inspector().inspect(Given.sessionCookie())
        #expect(inspection.isValid)
        #expect(inspection.steps.contains(ExplanationStep(.passed, "kind", "a Firebase session cookie")))
    }

    @Test(arguments: flaws)
    func aFlawFailsItsOwnCheckAndGivesTheRequestPathsCode(flaw: Flaw) async throws {
        let inspection = try await Given.inspector().inspect(Given.idToken(.ada, flaw.change))
        #expect(inspection.code == flaw.code)
        #expect(inspection.steps.first { $0.mark == .failed }?.name == flaw.step)
    }

    @Test func everyFlawIsToldNotOnlyTheFirst() async throws {
        let token = try Given.idToken { $0.setting("aud", to: "other").expiring(at: 1) }
        let inspection = try await Given.inspector().inspect(token)
        #expect(inspection.steps.filter { $0.mark == .failed }.map(\.name) == ["aud", "exp"])
        #expect(inspection.code == .invalidIDToken)
    }

    @Test(arguments: [Tampering.signatureBit, .payload, .header])
    func aSpoiltTokenFailsAtItsSignature(tampering: Tampering) async throws {
        let inspection = try await Given.inspector().inspect(tampering.applied(to: Given.idToken()))
        #expect(inspection.code == .invalidIDToken)
        #expect(inspection.steps.contains { $0.name == "signature" && $0.mark == .failed })
    }

    @Test(arguments: [("", "shape"), ("a.b", "provider"), ("not a token", "shape"), ("eyJ9.eyJ9.x", "shape")])
    func whatIsNoCompactJWSHasNothingToShow(text: String, failed: String) async throws {
        let inspection = try await Given.inspector().inspect(text)
        #expect(inspection.code == .argumentError)
        #expect(inspection.header == nil && inspection.payload == nil)
        #expect(inspection.steps.filter { $0.mark == .failed }.map(\.name) == [failed])
    }

    @Test func nothingShowsTheSignature() async throws {
        let token = try Given.idToken()
        let signature = try #require(token.split(separator: ".").last)
        let inspection = try await Given.inspector().inspect(token)
        let all = [inspection.header ?? "", inspection.payload ?? ""] + inspection.steps.map(\.detail)
        #expect(!all.joined().contains(signature.prefix(16)))
    }

    @Test func withoutKeysTheSignatureIsUnknownAndTheTokenNotValid() async throws {
        let inspection = try await Given.inspector(keys: KeyEvidenceSource.none).inspect(Given.idToken())
        #expect(inspection.code == .keysUnavailable)
        #expect(inspection.steps.filter { $0.mark == .unknown }.map(\.name) == ["key", "signature"])
    }

    @Test func aSourceThatIsDownIsNamedWithoutItsQuery() async throws {
        let keys = KeyEvidenceSource { .failed(KeyFetchError(.unreachable), of: .url($0.url + "?secret=1")) }
        let inspection = try await Given.inspector(keys: keys).inspect(Given.idToken())
        let detail = try #require(inspection.steps.first { $0.name == "key" }?.detail)
        #expect(detail.contains("gave no keys: unreachable") && !detail.contains("secret"))
    }

    @Test func anEmulatorsTokenNeedsNoKeys() async throws {
        var configuration = Given.configuration([Given.route("/**")])
        configuration.identity.firebase?.insecureEmulator = true
        let inspector = try Given.inspector(configuration, keys: KeyEvidenceSource.none)
        let token = FirebaseToken.idToken(for: .ada, now: Given.now)
        #expect(try await inspector.inspect(token.unsigned()).isValid)
        #expect(try await inspector.inspect(try DevelopmentKeys.shared().sign(token)).code == .invalidIDToken)
    }

    @Test func textOfTheTokenCannotDriveATerminal() async throws {
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
