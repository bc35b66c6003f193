import GatewayConfiguration
import GatewayCore
import JOSE
import Synchronization
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import OutboundHTTP

extension Configuration.Provider {
    /// A provider with its own introspection endpoint.
    static func opaque(
        _ id: String = "oauth.legacy", kind: Kind = .oauth, url: String = "https://as.example/introspect",
        client: String = "gw", secret: String = "s3cret",
        _ change: (inout OpaqueTokens) -> Void = { _ in }
    ) -> Configuration.Provider {
        var tokens = OpaqueTokens(url: url, clientID: client, clientSecret: Secret(secret))
        if kind == .oauth { tokens.audiences = ["api"] }
        change(&tokens)
        var provider = Configuration.Provider(
            id: id, kind: kind, location: GatewayCore.SourceLocation(file: "test", line: 1, column: 1))
        provider.opaqueTokens = tokens
        return provider
    }
}

/// The introspection of opaque tokens, with a clock that the test advances and a provider that the test plays.
struct OpaqueRig {
    let transport = FakeTransport()
    let time = ManualClock()
    let log = LogLines()
    let tokens: OpaqueTokens
    private let hasher: SHA256Hasher

    init(_ providers: Configuration.Provider...) throws {
        hasher = try #require(SHA256Hasher())
        let environment = LookupEnvironment(
            transport: transport, clock: time.clock, logger: log.logger, wake: { _, _ in })
        tokens = OpaqueTokens(providers, clockSkew: .seconds(5), environment: environment)
    }

    /// Collects the results of lookups.
    final class Verdicts: Sendable {
        private let verdicts = Mutex<[OpaqueVerdict]>([])

        var all: [OpaqueVerdict] { verdicts.withLock { $0 } }
        var texts: [String] { all.map(\.shown) }
        fileprivate func add(_ verdict: OpaqueVerdict) { verdicts.withLock { $0.append(verdict) } }
    }

    /// Starts a lookup. The returned object receives the result.
    @discardableResult
    func check(_ token: String, provider: Int = 0, from network: UInt32 = 1) throws -> Verdicts {
        let bytes = Array(token.utf8)
        let verdicts = Verdicts()
        tokens.check(
            bytes, key: try #require(hasher.hash(bytes)), provider: provider, for: .version4(network),
            completion: { verdicts.add($0) })
        return verdicts
    }

    /// Advances the clock and runs the tasks that are due.
    func advance(_ seconds: Double) {
        time.advance(seconds: seconds)
        tokens.tick()
    }

    var counters: LookupCounters { tokens.status()[0].counters }

    /// The remaining lifetime of a result in seconds.
    func left(_ verdict: OpaqueVerdict?) -> Double? {
        verdict.map { (Double($0.holdsUntil) - Double(time.monotonic)) / 1e9 }
    }
}

extension OpaqueVerdict {
    /// A short description of the result.
    var shown: String {
        switch self {
        case .accepted(let identity, _): "accepted \(identity.subject)"
        case .refused(let failure, _): "refused \(failure.reason)"
        case .unavailable(_, let retryAfter, _): "unavailable \(retryAfter)"
        }
    }
}

/// A response of RFC 7662 for an active token, with additional members.
func activeAnswer(_ more: String = "") -> String {
    #"{"active":true,"sub":"alice","aud":"api""# + (more.isEmpty ? "" : "," + more) + "}"
}
