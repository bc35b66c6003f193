import DevelopmentIdentity
import Foundation
import Gatehouse
import GatewayConfiguration
import GatewayCore
import JOSE
import RevocationStores
import Testing

@testable import CoreFixtures
@testable import Diagnostics
@testable import GatewayFixtures
@testable import StoreFixtures

/// `explain` and `token inspect` of the gateway's session cookies: the sources of their issuer and keys.
@Suite struct SessionExplanationTests {
    private static let clock = GatewayClock(now: { ManualClock.start }, monotonic: { 1_000_000_000 })
    private let folder: TemporaryFolder
    private let key: SigningKey
    private let pem: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        pem = try SigningKey.generate(.es256, keyID: "").pem()
        key = try SigningKey(pem: pem, algorithm: .es256)
    }

    private func cookie(_ issuer: String = SessionDraft.issuer) -> String {
        SessionDraft.cookie().withHeader("kid", "\"\(key.keyID)\"").with("iss", "\"\(issuer)\"")
            .withHeader("src", #"{"project":"\#(FirebaseToken.demoProject)","started":1}"#)
            .with("aud", "\"\(issuer)\"").signed(by: key)
    }

    private func configuration(_ store: Configuration.StoreLocation = .sqliteMemory, file: Bool = false) throws
        -> Configuration
    {
        var configuration = Given.configuration([Given.route("/**")])
        configuration.store = store
        configuration.accounts = Configuration.Accounts()
        guard file else { return configuration }
        let path = folder.path("session.pem")
        _ = FileManager.default.createFile(
            atPath: path, contents: Data(pem), attributes: [.posixPermissions: 0o600])
        configuration.accounts?.sessionKey = path
        return configuration
    }

    private func inspect(_ configuration: Configuration, _ token: String? = nil) async throws -> TokenInspection {
        let snapshot = try Snapshot(configuration)
        let inspector = TokenInspector(
            snapshot, keys: try Given.keys(), sessions: .live(configuration, snapshot), clock: Self.clock)
        return try await inspector.inspect(token ?? cookie())
    }

    private func keyStep(_ inspection: TokenInspection) throws -> ExplanationStep {
        try #require(inspection.steps["key"])
    }

    @Test func `the issuer and the key file suffice`() async throws {
        var configuration = try configuration(
            .redis(RedisLocation(servers: .server(.init(host: "r", port: 1)))), file: true)
        configuration.accounts?.issuer = SessionDraft.issuer
        let inspection = try await inspect(configuration)
        #expect(inspection.isValid)
        #expect(try keyStep(inspection) == ExplanationStep(.passed, "key", "found, 1 key of accounts.session_key"))
        let foreign = try await inspect(configuration, cookie("https://other.example"))
        #expect(foreign.code == .invalidSessionCookie && foreign.steps.failures == ["iss", "aud"])
        let forged = SessionDraft.cookie().withHeader("kid", "\"\(key.keyID)\"").signed(by: SessionDraft.forgedKey)
        #expect(try await inspect(configuration, forged).steps.failures == ["signature"])
    }

    @Test func `keys are read from the file of the store`() async throws {
        let path = folder.path("gatehouse.db")
        let store = try SQLiteStore(path: path, logger: .silent)
        _ = try await store.setting("issuer", initial: Array(SessionDraft.issuer.utf8))
        _ = try await store.setting("session_key", initial: pem)
        let running = try await inspect(configuration(.sqlite(path: path)))
        #expect(running.code == .keysUnavailable)
        #expect(try keyStep(running).mark == .unknown)
        #expect(
            try keyStep(running).detail.hasSuffix(
                "in \(path), which a running gateway has locked; to check without it, name accounts.session_key and"
                    + " accounts.issuer, or stop that gateway and repeat the command"))
        try await store.close()
        let inspection = try await inspect(configuration(.sqlite(path: path)))
        #expect(inspection.isValid)
        #expect(try keyStep(inspection).detail == "found, 1 key of \(path)")
    }

    @Test func `no store is created for an inspection`() async throws {
        let path = folder.path("gatehouse.db")
        let inspection = try await inspect(configuration(.sqlite(path: path)))
        #expect(inspection.code == .keysUnavailable)
        #expect(try keyStep(inspection).detail.hasSuffix("which does not exist yet: a gateway that starts makes it"))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a key in memory is unknown`() async throws {
        let inspection = try await inspect(configuration())
        #expect(inspection.code == .keysUnavailable)
        #expect(
            try keyStep(inspection).detail.contains(
                "which is in memory and new after each start; to check without it, name"))
        #expect(inspection.steps["iss"]?.mark == .unknown)
    }

    @Test func `an issuer in Redis is reported as missing`() async throws {
        let location = RedisLocation(servers: .server(.init(host: "r", port: 1)))
        let inspection = try await inspect(configuration(.redis(location), file: true))
        #expect(inspection.code == .keysUnavailable)
        #expect(
            try keyStep(inspection).detail.hasPrefix(
                "the issuer of session cookies is kept by the store, in \(location)"))
    }

    @Test func `without accounts a cookie of a gateway is named`() async throws {
        let inspection = try await inspect(Given.configuration([Given.route("/**")]))
        #expect(!inspection.isValid)
        #expect(
            inspection.steps["use"]?.detail
                == "a session cookie of a gateway, but accounts is not configured")
    }

    @Test func `a pending token is named`() async throws {
        let token = SessionDraft.cookie().withHeader("typ", "\"gatehouse-pending+jwt\"").signed(by: key)
        let inspection = try await inspect(configuration(file: true), token)
        #expect(!inspection.isValid)
        #expect(inspection.steps["use"]?.detail.hasPrefix("a pending token of a gateway") == true)
    }

    @Test func `a request with the cookie is explained completely`() async throws {
        var configuration = try configuration(file: true)
        configuration.accounts?.issuer = SessionDraft.issuer
        let explainer = try Explainer(
            configuration, keys: try Given.keys(), records: RecordSource { _, _ in .nothingRecorded }, clock: Self.clock
        )
        var request = ExplainedRequest(method: "POST", url: "http://api.example/a", sessionCookie: cookie())
        let explanation = try await explainer.explain(request)
        #expect(explanation.code == .ok && explanation.step("verified")?.detail == "the user is \"user-1\"")
        request.fields = [("Sec-Fetch-Site", "cross-site")]
        #expect(try await explainer.explain(request).code == .crossSite)
    }
}
