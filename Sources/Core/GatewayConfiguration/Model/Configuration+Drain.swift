extension Configuration {
    /// How the process stops on SIGTERM (`drain`).
    package struct Drain: Sendable, Hashable {
        /// How long it still accepts while `/readyz` answers 503 (`delay`), 0 to 10 min. Default: 5 s.
        package var delay = Duration.seconds(5)
        /// How long what runs may take to finish after that (`timeout`), 0 to 1 h. Default: 30 s.
        package var timeout = Duration.seconds(30)

        /// The defaults.
        package init() {}
    }
}
