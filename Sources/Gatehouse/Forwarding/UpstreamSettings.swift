import NIOCore

/// One upstream as requests see it; times in nanoseconds.
struct UpstreamSettings: Sendable, Equatable {
    /// One of its servers.
    struct Server: Sendable, Equatable {
        let host: String
        let port: Int
        /// Resolved already, where `host` is an IP address.
        let address: SocketAddress?
    }

    let name: String
    /// Its place in the counters.
    let counterPlace: Int
    let servers: [Server]
    let connectTimeout: UInt64
    let responseTimeout: UInt64
    /// The most connections of one worker, all servers together.
    let connections: Int

    /// The most requests of one worker that wait for a connection.
    static let waitingLimit = 1024
    /// How long a connection is kept without a request: below the usual 60 s of servers, so that we close first.
    static let idleTimeout: UInt64 = 50_000_000_000
    /// How many servers are tried for one request when they cannot be reached.
    static let connectAttempts = 3
}
