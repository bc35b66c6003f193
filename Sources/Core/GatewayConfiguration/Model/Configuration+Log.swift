extension Configuration {
    /// What is logged (`log`).
    package struct Log: Sendable, Hashable {
        /// The levels that there are, from the most talkative.
        package static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

        /// The least level that is logged (`level`), one of `levels`. Default: `info`.
        package var level = "info"
        /// Where the access log goes (`access`). Default: standard output.
        package var access = AccessLogTarget.standardOutput

        /// The defaults.
        package init() {}
    }

    /// Where the access log goes.
    package enum AccessLogTarget: Sendable, Hashable {
        /// `stdout`.
        case standardOutput
        /// `off`.
        case off
        /// A path with a `/`; a relative one starts at the working directory.
        case file(path: String)
    }
}
