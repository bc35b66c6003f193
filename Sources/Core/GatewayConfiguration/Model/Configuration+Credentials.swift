extension Configuration {
    /// Where a request carries its credential (`identity.credentials`).
    package struct Credentials: Sendable, Hashable {
        /// The field with `Bearer TOKEN` (`header`); nil reads none. Default: `Authorization`.
        package var header: String? = "Authorization"
        /// The cookie with a session (`cookie`); nil reads none. Default: `__session`.
        package var cookie: String? = "__session"

        /// The defaults.
        package init() {}
    }
}
