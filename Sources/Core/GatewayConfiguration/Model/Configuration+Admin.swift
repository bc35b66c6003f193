package import GatewayCore

extension Configuration {
    /// The admin listener (`admin`): health, metrics, admin API.
    package struct Admin: Sendable, Equatable {
        /// Where it listens (`address`); nil switches it off. Default: `127.0.0.1:9901`.
        package var address: ListenAddress? = ListenAddress(host: "127.0.0.1", port: 9901)
        /// The bearer token of the admin API (`token`). Default: nil, which leaves only `/livez`, `/readyz` and
        /// `/metrics`.
        package var token: Secret?

        /// The defaults.
        package init() {}
    }
}
