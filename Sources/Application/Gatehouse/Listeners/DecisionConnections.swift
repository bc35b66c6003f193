import GatewayConfiguration

/// The division of `decisions.connections` among peers. Peers that the listener does not trust cannot take the
/// connections of trusted peers, and one such peer cannot take the connections of another.
struct DecisionConnections: Equatable {
    /// The divisor for the share of all peers that are not trusted, and for the share of one address in it.
    private static let share = 4

    /// The maximum number of connections of trusted peers.
    let trusted: Int
    /// The maximum number of connections of all other peers. 0 without introspection.
    let strangers: Int
    /// The maximum number of connections of one address of other peers, at least 1. An IPv6 /64 is one address.
    let strangersPerAddress: Int

    /// Divides a number of connections, at least 2.
    init(of connections: Int, admitsStrangers: Bool) {
        strangers = admitsStrangers ? max(connections / Self.share, 1) : 0
        trusted = connections - strangers
        strangersPerAddress = max(strangers / Self.share, 1)
    }
}
