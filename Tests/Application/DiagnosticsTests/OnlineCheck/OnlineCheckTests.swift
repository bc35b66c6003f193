import Authentication
import Gatehouse
import GatewayConfiguration
import GatewayCore
import OutboundHTTP
import Testing

@testable import CoreFixtures
@testable import Diagnostics
@testable import GatewayFixtures

/// The findings of `check --online`. `CheckOnlineTests` has real dependencies.
@Suite struct OnlineCheckTests {
    private func check(
        keys: KeyEvidenceSource? = nil, opaque: FakeTransport? = nil, accounts: AccountEvidence? = nil,
        clock: GatewayClock = Given.clock, _ change: (inout Configuration) -> Void = { _ in }
    ) async throws -> [OnlineFinding] {
        var configuration = Given.configuration([Given.route("/**")])
        configuration.store = .sqliteMemory
        configuration.upstreams[0].servers = []
        change(&configuration)
        return await OnlineCheck(
            configuration, try Snapshot(configuration), keys: try keys ?? Given.keys(),
            opaqueTokens: opaque.map { Given.opaqueTokens($0) } ?? .none,
            accounts: AccountEvidenceSource { _ in accounts ?? .irrelevant }, clock: clock
        ).run()
    }

    private static let provider = Configuration.Provider.opaque(secret: "the-client-secret")

    @Test func `key sets and the store are used`() async throws {
        let findings = try await check()
        #expect(findings.map(\.kind) == ["key set", "key set", "store"])
        #expect(findings.allSatisfy { $0.isGood })
    }

    @Test(arguments: [KeyFetchError.Code.status, .notAKeySet, .issuerMismatch, .unreachable, .timedOut])
    func `a failed fetch has its reason and a remedy`(code: KeyFetchError.Code) async throws {
        let keys = KeyEvidenceSource { .failed(KeyFetchError(code, "404"), of: .url($0.url + "?secret=1")) }
        let finding = try #require(try await check(keys: keys).first)
        #expect(!finding.isGood && finding.detail.hasSuffix(" (404)") && finding.remedy?.isEmpty == false)
        #expect(!finding.detail.contains(code.rawValue) || code == .status)
        #expect(!finding.name.contains("secret"))
    }

    @Test(arguments: [(200, true), (401, false), (500, false)])
    func `a provider is used with a token that does not exist`(status: Int, isGood: Bool) async throws {
        let body = status == 200 ? #"{"active":false}"# : ""
        let transport = FakeTransport.answering(status, body)
        let findings = try await check(opaque: transport) { $0.identity.providers = [Self.provider] }
        let finding = try #require(findings.first { $0.kind == "provider" })
        #expect(finding.isGood == isGood, "\(finding)")
        #expect(transport.count == 1 && transport.calls[0].request.bodyText.contains("gatehouse-check"))
        #expect(!"\(finding)".contains("the-client-secret"))
        if status == 401 {
            #expect(finding.remedy?.contains("client_secret of identity.providers.oauth.legacy") == true)
        }
    }
}
