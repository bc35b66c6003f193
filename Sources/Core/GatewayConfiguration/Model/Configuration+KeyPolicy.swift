extension Configuration {
    /// How every key set is kept (`identity.keys`).
    package struct KeyPolicy: Sendable, Hashable {
        /// The least lifetime of a key set, whatever its source says (`min_ttl`), 100 ms to 30 d. Default: 1 min.
        package var minTTL = Duration.seconds(60)
        /// The greatest lifetime (`max_ttl`), `minTTL` to 30 d. Default: 24 h.
        package var maxTTL = Duration.seconds(86_400)
        /// The share of the lifetime after which the set is fetched again (`refresh_at`), 0.1 to 1. Default: 0.8.
        package var refreshAt = 0.8
        /// How much longer than its lifetime a set counts while its source is down (`stale_for`), 0 to 30 d. Default:
        /// 24 h.
        package var staleFor = Duration.seconds(86_400)
        /// The least time between fetches that unknown key ids ask for (`unknown_key_cooldown`), 100 ms to 1 h.
        /// Default: 30 s.
        package var unknownKeyCooldown = Duration.seconds(30)

        /// The defaults.
        package init() {}
    }
}
