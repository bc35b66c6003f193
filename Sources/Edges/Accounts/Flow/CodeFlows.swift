package import Authentication
package import GatewayConfiguration
package import GatewayCore
import JOSE
package import NIOCore
package import OutboundHTTP

/// The authorization-code flows of a configuration.
package struct CodeFlows: Sendable {
    /// The gateway's origin, in the browsers' spelling.
    let publicOrigin: String
    let targets: ReturnTargets
    let providers: [FlowProvider]
    let directory: FlowDirectory
    let transport: any OutboundTransport
    let slots = ProofSlots()
    let budget = FlowBudget()
    /// The verifier of the gateway's own session cookies. `nil` if none are accepted.
    private let sessions: TokenVerifier?

    /// Creates the flows. `nil` without a public URL, and without providers.
    ///
    /// - Parameters:
    ///   - transport: A transport that sends each request at most once.
    ///   - verifiers: The verifiers of the configuration, among them that of session cookies.
    package init?(
        _ accounts: Configuration.Accounts, _ providers: [FlowProvider], transport: any OutboundTransport,
        verifiers: VerifierTable, clock: GatewayClock
    ) {
        guard let origin = accounts.publicURL, !providers.isEmpty else { return nil }
        publicOrigin = origin
        targets = ReturnTargets(publicOrigin: origin, others: accounts.returnTo)
        self.providers = providers
        self.transport = transport
        directory = FlowDirectory(transport: transport, clock: clock)
        sessions = verifiers.verifiers.first {
            guard case .session = $0 else { return false }
            return true
        }
    }

    /// Returns a client for the providers' endpoints, which sends each request at most once.
    package static func client(on group: any EventLoopGroup) -> OutboundHTTPClient {
        OutboundHTTPClient(
            group: group, connections: ProofSlots.capacity, size: TokenExchange.sizeLimit, longest: .seconds(10),
            connect: .seconds(5), retriesClosed: false)
    }

    /// Returns the provider with an ID.
    func provider(_ id: String) throws(AccountDenial) -> FlowProvider {
        guard let provider = providers.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) else {
            throw AccountDenial(.routeNotFound)
        }
        return provider
    }

    /// Returns the address of a provider's callback. It depends on the configuration only, never on a request.
    func redirectURI(of provider: FlowProvider) -> String { "\(publicOrigin)/.gatehouse/callback/\(provider.id)" }

    /// Returns the principal of the first session cookie that is valid by itself. Its revocation is not checked.
    func caller(_ cookies: [String], keys: SessionKeys, now: Int64) -> Principal? {
        guard let sessions, let hasher = SHA256Hasher() else { return nil }
        for cookie in cookies.prefix(BrowserBinding.maximumTried) {
            guard let token = try? UnverifiedJWS(cookie, maximumSize: Authenticator.maximumTokenSize),
                SessionVerifier.judges(token),
                let id = try? sessions.checkBeforeSignature(token, keys.view), let key = keys.view.keys?.key(id: id),
                let principal = try? sessions.verify(token, key: key, keys.view, now: now, hasher: hasher)
            else { continue }
            return principal
        }
        return nil
    }
}

/// The limit of flows that this gateway starts, so that the store has a bound: 65,536 in the lifetime of a record.
final class FlowBudget: Sendable {
    private static let limit = 65_536
    private let table = TokenBucketTable(groups: 1)
    private let bucket = TokenBucket(
        requests: limit, every: UInt64(FlowRecord.lifetime) * 1_000_000_000, burst: limit)

    /// Counts a start.
    func take(now: UInt64) throws(AccountDenial) {
        guard let wait = table.take(table.key { $0.combine(0) }, of: bucket, now: now) else { return }
        var denial = Denial(.overloaded, retryAfter: wait)
        denial.detail = nil
        throw AccountDenial(denial, reason: "the limit of open flows is reached")
    }
}
