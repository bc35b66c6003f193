import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import NIOPosix
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures
@testable import SystemFixtures

/// Lookups over real connections. `DevelopmentProviderTests` has the accepted tokens.
@Suite(.timeLimit(.minutes(5))) struct OpaqueLoopbackTests {
    @Test func `G-13: an unreachable provider is an outage, and the log has neither token nor secret`() async throws {
        let source = try await MisbehavingSource { _ in .silence }
        try await source.close()
        let log = LogLines()
        let tokens = opaqueTokens(facebook(at: source.url), log)
        #expect(try await verdict(of: "the-token", tokens).shown == "unavailable 1")
        #expect(log.all.count == 1)
        #expect(!log.text.contains("the-token") && !log.text.contains("s3cret"))
        await tokens.shutdown()
    }

    @Test func `calls that wait for the rate are sent later`() async throws {
        let source = try await MisbehavingSource { _ in .send(httpAnswer(Array(#"{"data":{"is_valid":false}}"#.utf8))) }
        var provider = facebook(at: source.url)
        provider.opaqueTokens?.rate = 20
        let tokens = opaqueTokens(provider, LogLines())
        let verdicts = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<25 {
                group.addTask { try await verdict(of: "T\(number)", tokens).shown }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(verdicts == Array(repeating: "refused inactive", count: 25))
        #expect(source.requests.count == 25)
        await tokens.shutdown()
        try await source.close()
    }

    private func facebook(at url: String) -> Configuration.Provider {
        .opaque("facebook.com", kind: .facebook, url: url, client: "42", secret: "s3cret") { $0.timeout = .hangLimit }
    }

    private func opaqueTokens(_ provider: Configuration.Provider, _ log: LogLines) -> OpaqueTokens {
        OpaqueTokens(
            [provider], clockSkew: .seconds(5), group: .singletonMultiThreadedEventLoopGroup, logger: log.logger)
    }

    private func verdict(of token: String, _ tokens: OpaqueTokens) async throws -> OpaqueVerdict {
        let bytes = Array(token.utf8)
        let key = try #require(SHA256Hasher()?.hash(bytes))
        return await withCheckedContinuation { continuation in
            tokens.check(bytes, key: key, provider: 0, for: .unknown) { continuation.resume(returning: $0) }
        }
    }
}
