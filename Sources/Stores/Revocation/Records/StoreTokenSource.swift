package import GatewayCore

/// A token with which gateways authenticate to a managed store.
package struct StoreToken: Sendable, Equatable {
    /// The password.
    package var value: Secret
    /// The time at which the service no longer accepts the token.
    package var expires: UnixTime

    /// Creates a token.
    package init(_ value: Secret, expires: UnixTime) {
        (self.value, self.expires) = (value, expires)
    }
}

/// The issuer of tokens for a managed store. The composition provides it, because it needs calls to other services.
package struct StoreTokenSource: Sendable {
    /// The reason that there is no token. It contains no secret.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let description: String

        /// Creates a failure.
        package init(_ description: String) { self.description = description }
    }

    /// The maximum time of a fetch.
    package static let fetchLimit = Duration.seconds(10)

    /// Obtains a token, within ``fetchLimit``.
    package let fetch: @Sendable () async -> Result<StoreToken, Failure>

    /// Creates a source.
    package init(fetch: @escaping @Sendable () async -> Result<StoreToken, Failure>) {
        self.fetch = fetch
    }
}
