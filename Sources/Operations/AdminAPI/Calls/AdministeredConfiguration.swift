package import GatewayCore
package import Observability

/// The active configuration in the admin API. It has no secrets.
package struct AdministeredConfiguration: Sendable {
    /// The number of the configuration.
    package var generation: UInt64
    /// The hash of its files as written, in hexadecimal.
    package var hash: String
    /// When it became active, in seconds since 1970.
    package var loadedAt: Int64
    package var reloads: ReloadOutcomes
    /// The warnings of `check`, and the enabled insecure options by their keys.
    package var warnings: [ConfigurationWarning]
    package var insecureOptions: [String]

    /// Creates a state.
    package init(
        generation: UInt64, hash: String, loadedAt: Int64, reloads: ReloadOutcomes = ReloadOutcomes(),
        warnings: [ConfigurationWarning] = [], insecureOptions: [String] = []
    ) {
        self.generation = generation
        self.hash = hash
        self.loadedAt = loadedAt
        self.reloads = reloads
        self.warnings = warnings
        self.insecureOptions = insecureOptions
    }
}
