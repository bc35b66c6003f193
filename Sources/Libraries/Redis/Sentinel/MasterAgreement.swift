internal import NIOConcurrencyHelpers

/// The server that all links of a process use, if sentinels or the nodes of a cluster name it.
///
/// A link that opens at another server takes the other links along, so that reads, writes and the change stream have
/// one source. The common answer of the sentinels, or of the masters of the cluster, has precedence: see `MasterWatch`.
public final class MasterAgreement: Sendable {
    /// A change that a link has to perform.
    enum Order: Sendable, Equatable {
        case move(to: RedisEndpoint)
        /// Close the connection: the server may have been replaced.
        case leave
    }

    private struct Members {
        var agreed = AgreedMaster()
        var links: [UInt64: @Sendable (Order) -> Void] = [:]
        var nextNumber: UInt64 = 0
    }

    private let members = NIOLockedValueBox(Members())

    /// Creates an agreement without links.
    public init() {}

    /// Adds a link. `perform` is called on any thread.
    func join(_ perform: @escaping @Sendable (Order) -> Void) -> UInt64 {
        members.withLockedValue { members in
            members.nextNumber += 1
            members.links[members.nextNumber] = perform
            return members.nextNumber
        }
    }

    func leave(_ number: UInt64) {
        members.withLockedValue { $0.links[number] = nil }
    }

    /// Records that a link has opened at a server, and moves the other links there. Returns what the link has to do
    /// instead of using the server; `nil` if it can use the server.
    func opened(_ number: UInt64, at endpoint: RedisEndpoint) -> Order? {
        let (orders, others) = members.withLockedValue { members in
            (members.agreed.opened(at: endpoint), members.links.filter { $0.key != number })
        }
        if let order = orders.others { for perform in others.values { perform(order) } }
        return orders.own
    }

    /// Records that a server named another one as the owner of the slot of a cluster.
    func redirected(from source: RedisEndpoint, to target: RedisEndpoint) {
        members.withLockedValue { $0.agreed.redirected(from: source, to: target) }
    }

    /// Records the result of a round of queries. Returns the order that the links received, if any.
    func polled(_ finding: SentinelPoll.Finding) -> Order? {
        let (order, links) = members.withLockedValue { ($0.agreed.polled(finding), $0.links) }
        if let order { for perform in links.values { perform(order) } }
        return order
    }
}

/// The decisions of a `MasterAgreement`.
struct AgreedMaster {
    /// The number of rounds in which the sentinels can name another server than the links use. A failover is known to
    /// one sentinel before it is known to the others.
    static let disagreementLimit = 3

    private var current: RedisEndpoint?
    /// The last address that the majority of sentinels named.
    private var named: RedisEndpoint?
    /// The address before that.
    private var superseded: RedisEndpoint?
    private var disagreements = 0
    private var isQuorate = true

    /// Returns the order for the link that has opened, and the order for the others.
    mutating func opened(at endpoint: RedisEndpoint) -> (own: MasterAgreement.Order?, others: MasterAgreement.Order?) {
        guard isQuorate else { return (.leave, nil) }
        // A sentinel that is out of date may still name the former master.
        if endpoint == superseded, let named { return (.move(to: named), nil) }
        guard endpoint != current else { return (nil, nil) }
        (current, disagreements) = (endpoint, 0)
        return (nil, .move(to: endpoint))
    }

    /// Handles a redirect. A slot that has moved back is served by the former server again: the server that the
    /// majority named gave it up later.
    mutating func redirected(from source: RedisEndpoint, to target: RedisEndpoint) {
        if source == named, target == superseded { superseded = nil }
    }

    /// Returns the order for all links.
    mutating func polled(_ finding: SentinelPoll.Finding) -> MasterAgreement.Order? {
        defer { isQuorate = finding.isQuorate }
        guard finding.isQuorate else {
            current = nil
            return isQuorate ? .leave : nil
        }
        guard let address = finding.named else { return nil }
        let isNew = address != named
        if isNew { (superseded, named) = (named, address) }
        guard let current, current != address else {
            disagreements = 0
            return nil
        }
        disagreements += 1
        guard isNew || disagreements >= Self.disagreementLimit else { return nil }
        (self.current, disagreements) = (address, 0)
        return .move(to: address)
    }
}
