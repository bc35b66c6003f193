extension Configuration {
    /// Where a request carries its credential (`identity.credentials`).
    public struct Credentials: Sendable, Hashable {
        /// The field with `Bearer TOKEN` (`header`); nil reads none. Default: `Authorization`.
        public var header: String? = "Authorization"
        /// The cookie with a session (`cookie`); nil reads none. Default: `__session`.
        public var cookie: String? = "__session"

        /// The defaults.
        public init() {}
    }
}
