extension Configuration {
    /// When the configuration is read again while the gateway runs (`reload`), besides on SIGHUP.
    package struct Reload: Sendable, Hashable {
        /// How often its files are looked at (`watch`), 100 ms to 1 h; nil: never. Default: 2 s.
        package var watch: Duration? = .seconds(2)

        /// The defaults.
        package init() {}
    }
}
