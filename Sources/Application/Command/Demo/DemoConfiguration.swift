import Foundation
import GatewayConfiguration
import GatewayCore

/// Where the demo's configuration comes from, and what fills its variables.
enum DemoConfiguration {
    /// Looked for from the working directory.
    static let file = "config/demo.yaml"

    static var isAtHand: Bool { FileManager.default.fileExists(atPath: file) }

    /// - Parameter variables: take the place of the environment's.
    static func load(_ variables: [String: String]) throws(ConfigurationErrors) -> Configuration {
        var environment = Configuration.processEnvironment.merging(variables) { $1 }
        // These would win over the URLs of the demo's own provider.
        environment["GATEHOUSE_FIREBASE_KEYS_URL"] = nil
        environment["GATEHOUSE_FIREBASE_SESSION_KEYS_URL"] = nil
        if isAtHand {
            return try Configuration.load(file: file, environment: environment)
        }
        return try Configuration.load(bytes: PackageResources.demo_yaml, file: file, environment: environment)
    }
}
