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
    /// The keys that seal kept tokens. `nil` if no tokens are kept.
    let tokens: TokenSealing?
    /// The budgets are separate, so that clients without a session cannot use up that of signed-in users.
    let signInBudget = FlowBudget()
    let sessionBudget = FlowBudget()
    let formBudget = FlowBudget()
    let consoleBudget = FlowBudget(limit: 4_096)
    /// The redemptions of codes by provider, so that a slow provider does not delay others.
    private let slots: [String: ProofSlots]

    /// Creates the flows. `nil` without a public URL, and without providers.
    ///
    /// - Parameters:
    ///   - transport: A transport that sends each request at most once.
    ///   - tokens: The keys that seal kept tokens. `nil` if no tokens are kept.
    package init?(
        _ accounts: Configuration.Accounts, _ providers: [FlowProvider], transport: any OutboundTransport,
        tokens: TokenSealing? = nil, clock: GatewayClock
    ) {
        guard let origin = accounts.publicURL, !providers.isEmpty else { return nil }
        publicOrigin = origin
        targets = ReturnTargets(
            publicOrigin: origin, others: accounts.returnTo, includesPage: accounts.page != nil,
            apps: accounts.apps)
        self.providers = providers
        slots = Dictionary(
            providers.map { ($0.id, ProofSlots(capacity: Self.redemptions)) }, uniquingKeysWith: { first, _ in first })
        self.transport = transport
        self.tokens = tokens
        directory = FlowDirectory(transport: transport, clock: clock)
    }

    /// The maximum number of codes that are redeemed at once at one provider.
    static let redemptions = 64

    func slots(of provider: FlowProvider) throws(AccountDenial) -> ProofSlots {
        guard let slots = slots[provider.id] else { throw AccountDenial(.routeNotFound) }
        return slots
    }

    /// Returns a client for the providers' endpoints, which sends each request at most once.
    package static func client(on group: any EventLoopGroup) -> OutboundHTTPClient {
        OutboundHTTPClient(
            group: group, connections: ProofSlots.defaultCapacity, size: TokenExchange.sizeLimit, longest: .seconds(10),
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
}

/// The limit of values that clients of this gateway store within ten minutes, so that the store has a bound: 65,536 of
/// all clients, and a sixteenth of them from one network (an IPv4 /24 or an IPv6 /48).
final class FlowBudget: Sendable {
    /// The default limit of all clients.
    static let limit = 65_536
    private static let interval = UInt64(FlowRecord.lifetime) * 1_000_000_000

    private let total = TokenBucketTable(groups: 1)
    private let totalBucket: TokenBucket
    private let networks = TokenBucketTable(groups: 1_024)
    private let networkBucket: TokenBucket

    /// - Parameter limit: The limit of all clients, a multiple of 16.
    init(limit: Int = FlowBudget.limit) {
        totalBucket = TokenBucket(requests: limit, every: Self.interval, burst: limit)
        networkBucket = TokenBucket(requests: limit / 16, every: Self.interval, burst: limit / 16)
    }

    /// Counts a value.
    func take(_ network: PeerNetwork, now: UInt64) throws(AccountDenial) {
        try take(networks, networks.key { $0.combine(network.wider) }, networkBucket, now)
        try take(total, total.key { $0.combine(0) }, totalBucket, now)
    }

    private func take(
        _ table: TokenBucketTable, _ key: UInt64, _ bucket: TokenBucket, _ now: UInt64
    ) throws(AccountDenial) {
        guard let wait = table.take(key, of: bucket, now: now) else { return }
        var denial = Denial(.overloaded, retryAfter: wait)
        denial.detail = nil
        throw AccountDenial(denial, reason: "the limit of open flows is reached")
    }
}
