import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import NIOPosix
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures
@testable import SystemFixtures

/// The whole over real connections.
@Suite(.timeLimit(.minutes(1))) struct OpaqueLoopbackTests {
    @Test func aTokenIsCheckedOverHTTP() async throws {
        let source = try await MisbehavingSource { _ in
            .send(
                httpAnswer(
                    Array(#"{"data":{"app_id":"42","type":"USER","is_valid":true,"user_id":"7","expires_at":0}}"#.utf8))
            )
        }
        let log = LogLines()
        let tokens = opaqueTokens(facebook(at: source.url), log)
        #expect(try await verdict(of: "EAA|x", tokens).shown == "accepted 7")
        #expect(try await verdict(of: "EAA|x", tokens).shown == "accepted 7")
        #expect(source.requests.count == 1)
        let head = try #require(source.requests.first?.head)
        #expect(head.hasPrefix("GET /keys?input_token=EAA%7Cx&access_token=42%7Cs3cret HTTP/1.1\r\n"))
        await tokens.shutdown()
        try await source.close()
    }

    @Test("G-13: nobody there is an outage that ends by itself; the log names neither token nor secret")
    func outage() async throws {
        let source = try await MisbehavingSource { _ in .silence }
        try await source.close()
        let log = LogLines()
        let tokens = opaqueTokens(facebook(at: source.url), log)
        #expect(try await verdict(of: "the-token", tokens).shown == "unavailable 1")
        #expect(log.all.count == 1)
        #expect(!log.text.contains("the-token") && !log.text.contains("s3cret"))
        await tokens.shutdown()
    }

    @Test func whatWaitsForTheRateIsAskedWhenItsTimeComes() async throws {
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
        .opaque("facebook.com", kind: .facebook, url: url, client: "42", secret: "s3cret") { $0.timeout = .seconds(5) }
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
