import Foundation
import GatewayConfiguration
import GatewayCore
import Revocation
import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import OutboundHTTP

/// Fetches of tokens with fakes of the services.
enum StoreTokens {
    static func store(
        _ issuer: RedisLocation.TokenIssuer, username: String? = "iam-user-01"
    ) -> Configuration.StoreLocation {
        var location = RedisLocation(servers: .server(.init(host: "127.0.0.1", port: 6379)))
        location.account = .init(username: username, password: .issued(by: issuer))
        return .redis(location)
    }

    /// Fetches a token with responses by the end of the URL.
    static func fetch(
        _ issuer: RedisLocation.TokenIssuer, _ environment: [String: String], _ transport: FakeTransport,
        now: Int64 = ManualClock.start
    ) async throws -> Result<StoreToken, StoreTokenSource.Failure> {
        let clock = GatewayClock(now: { now }, monotonic: { 0 })
        let source = try #require(
            try StoreTokenSource(
                for: store(issuer), environment: environment, clock: clock, transport: { transport }))
        return await source.fetch()
    }

    static func transport(_ rules: [String: (Int, String)]) -> FakeTransport {
        let transport = FakeTransport()
        transport.always { request in
            guard let rule = rules.first(where: { request.url.hasSuffix($0.key) })?.value else { return nil }
            return .success(OutboundResponse(status: rule.0, body: Array(rule.1.utf8), metadataFlavor: "Google"))
        }
        return transport
    }

    static func text(_ token: StoreToken) -> String {
        token.value.withBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension Result<StoreToken, StoreTokenSource.Failure> {
    /// The reason of a failure. Empty for a token.
    var failureText: String {
        if case .failure(let failure) = self { failure.description } else { "" }
    }
}
