import Authentication
import Gatehouse
import GatewayConfiguration
import GatewayCore
import OutboundHTTP
import Testing

@testable import CoreFixtures
@testable import Diagnostics
@testable import GatewayFixtures

/// `token inspect` of opaque tokens.
@Suite struct OpaqueInspectionTests {
    private static let token = "gho_0123456789abcdefghij"
    private static let secret = "the-client-secret"

    private static let introspecting = Configuration.Provider.opaque(secret: secret)
    private static let gitHub = Configuration.Provider.opaque(
        "github.com", kind: .github, url: "https://api.github.com/applications/{client_id}/token", secret: secret)

    private func inspector(
        _ transport: FakeTransport?, _ providers: [Configuration.Provider] = [Self.introspecting]
    ) throws -> TokenInspector {
        var configuration = Given.configuration([Given.route("/**")])
        configuration.identity.providers = providers
        return TokenInspector(
            try Snapshot(configuration), keys: try Given.keys(),
            opaqueTokens: transport.map { Given.opaqueTokens($0) } ?? .none, clock: Given.clock)
    }

    @Test func `a valid token is reported with the response of its provider`() async throws {
        let transport = FakeTransport.answering(
            200, activeAnswer(#""scope":"read write","exp":\#(Given.now + 60),"iat":\#(Given.now - 60)"#))
        let inspection = try await inspector(transport).inspect(Self.token)
        #expect(inspection.isValid)
        #expect(inspection.header == nil && inspection.payload == nil)
        let steps = inspection.steps
        #expect(steps["shape"]?.detail == "not a JWT, therefore an opaque token, 24 bytes")
        #expect(steps["provider"]?.detail == "oauth.legacy, the only one that accepts opaque tokens")
        #expect(
            steps["answer"] == ExplanationStep(.passed, "answer", "active, according to https://as.example/introspect"))
        #expect(steps["audience"]?.detail == #"issued for "api""#)
        #expect(steps["subject"]?.detail == #""alice""# && steps["uid"]?.detail == #""oauth.legacy:alice""#)
        #expect(steps["exp"]?.detail.hasSuffix("in 1 min") == true)
        #expect(steps["auth_time"]?.detail.hasPrefix("none: never recent") == true)
        #expect(steps["scope"]?.detail == #""read", "write""#)
    }

    @Test(arguments: [200, 401, 404, 500])
    func `the token and the secret are in no step`(status: Int) async throws {
        let transport = FakeTransport.answering(status, activeAnswer())
        let steps = try await inspector(transport).inspect(Self.token).steps
        let text = steps.map { $0.name + $0.detail }.joined()
        #expect(!text.contains(Self.token) && !text.contains(Self.secret))
        #expect(transport.calls[0].request.bodyText.contains(Self.token))
    }

    @Test(arguments: [
        (#"{"active":false}"#, VerificationFailure.Reason.inactive, DecisionCode.invalidIDToken),
        (activeAnswer(#""exp":1"#), .expired, .idTokenExpired),
        (#"{"active":true,"sub":"alice","aud":"other"}"#, .audience, .invalidIDToken),
    ])
    func `a rejection is reported with its reason`(
        answer: String, reason: VerificationFailure.Reason, code: DecisionCode
    ) async throws {
        let inspection = try await inspector(.answering(200, answer)).inspect(Self.token)
        #expect(inspection.code == code)
        #expect(inspection.steps["answer"]?.mark == .failed)
        #expect(inspection.steps["answer"]?.detail.hasPrefix(reason.rawValue) == true)
    }

    @Test(arguments: [
        (500, "", "status (500)"), (401, "", "own_credentials (401)"), (200, "[", "malformed"),
    ])
    func `an invalid response leaves the token undetermined`(status: Int, body: String, shown: String) async throws {
        let inspection = try await inspector(.answering(status, body)).inspect(Self.token)
        #expect(inspection.code == .introspectionUnavailable)
        #expect(inspection.steps["answer"]?.mark == .unknown)
        #expect(inspection.steps["answer"]?.detail.contains(shown) == true)
    }

    @Test func `a uid that is too long is rejected`() async throws {
        let answer = #"{"active":true,"aud":"api","sub":"\#(String(repeating: "s", count: 200))"}"#
        let inspection = try await inspector(.answering(200, answer)).inspect(Self.token)
        #expect(inspection.code == .invalidIDToken && inspection.steps.failures == ["user"])
    }

    @Test func `one of several providers has to be named`() async throws {
        let transport = FakeTransport.answering(404, "")
        let inspector = try inspector(transport, [Self.introspecting, Self.gitHub])
        await #expect(throws: TokenInspectionError.unclearProvider(["oauth.legacy", "github.com"])) {
            try await inspector.inspect(Self.token)
        }
        #expect(transport.count == 0)
        let inspection = try await inspector.inspect(Self.token, provider: "github.com")
        #expect(inspection.steps["provider"]?.detail == "github.com, named")
        #expect(transport.calls.map(\.request.url) == ["https://api.github.com/applications/gw/token"])
    }

    @Test(arguments: [[], [Self.introspecting]])
    func `an unknown provider is rejected`(providers: [Configuration.Provider]) async throws {
        let inspector = try inspector(nil, providers)
        await #expect(throws: TokenInspectionError.self) { try await inspector.inspect(Self.token, provider: "github") }
    }

    @Test func `without a provider no request is sent`() async throws {
        let inspection = try await inspector(nil, []).inspect(Self.token)
        #expect(inspection.code == .argumentError && inspection.steps.failures == ["provider"])
    }

    @Test func `without a lookup the token is undetermined`() async throws {
        let inspection = try await inspector(nil).inspect(Self.token)
        #expect(inspection.code == .introspectionUnavailable)
        #expect(inspection.steps["answer"]?.mark == .unknown)
    }

    @Test(arguments: ["eyJhbGciOiJSUzI1NiJ9.x", "ew.e30.x", "a b"])
    func `a malformed JWT is sent to no provider`(token: String) async throws {
        let transport = FakeTransport.answering(200, activeAnswer())
        let inspection = try await inspector(transport).inspect(token)
        #expect(inspection.code == .argumentError && inspection.steps.failures == ["shape"])
        #expect(transport.count == 0)
    }
}
