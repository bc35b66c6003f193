extension Configuration {
    /// What is logged (`log`).
    public struct Log: Sendable, Hashable {
        /// The levels that there are, from the most talkative.
        public static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

        /// The least level that is logged (`level`), one of `levels`. Default: `info`.
        public var level = "info"
        /// Where the access log goes (`access`). Default: standard output.
        public var access = AccessLogTarget.standardOutput

        /// The defaults.
        public init() {}
    }

    /// Where the access log goes.
    public enum AccessLogTarget: Sendable, Hashable {
        /// `stdout`.
        case standardOutput
        /// `off`.
        case off
        /// A path with a `/`; a relative one starts at the working directory.
        case file(path: String)
    }
}
