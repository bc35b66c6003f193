import Foundation
import GatewayConfiguration
import GatewayCore

/// The source of the demo's configuration and the values of its variables.
enum DemoConfiguration {
    /// The path relative to the working directory.
    static let file = "config/demo.yaml"

    static var isAtHand: Bool { FileManager.default.fileExists(atPath: file) }

    /// Loads the configuration. `variables` override the environment.
    static func load(_ variables: [String: String]) throws(ConfigurationErrors) -> Configuration {
        var environment = Configuration.processEnvironment.merging(variables) { $1 }
        // They would override the URLs of the demo's own provider.
        environment["GATEHOUSE_FIREBASE_KEYS_URL"] = nil
        environment["GATEHOUSE_FIREBASE_SESSION_KEYS_URL"] = nil
        if isAtHand {
            return try Configuration.load(file: file, environment: environment)
        }
        return try Configuration.load(bytes: PackageResources.demo_yaml, file: file, environment: environment)
    }
}
