import Redis

/// How a worker reads the store: through its view, and for what only the store itself can say through a connection.
struct StoreAccess: Sendable {
    let reader: StoreReader
    /// Where the store itself is asked; nil where the view holds all that it knows.
    var redis: RedisConfiguration?
}
