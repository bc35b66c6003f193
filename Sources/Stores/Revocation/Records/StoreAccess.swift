package import Redis

/// How a worker reads the store: through its view, and for what only the store itself can say through a connection.
package struct StoreAccess: Sendable {
    package let reader: StoreReader
    /// Where the store itself is asked; nil where the view holds all that it knows.
    package var redis: RedisConfiguration?

    package init(reader: StoreReader, redis: RedisConfiguration? = nil) {
        self.reader = reader
        self.redis = redis
    }
}
