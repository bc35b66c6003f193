import ArgumentParser
import GatewayConfiguration

/// The sources of keys, overriding the configuration's.
struct KeyURLOptions: ParsableArguments {
    @Option(
        name: .customLong("keys-url"),
        help: ArgumentHelp(
            "Where the keys of ID tokens come from. Default: the configuration's, or GATEHOUSE_FIREBASE_KEYS_URL.",
            valueName: "url"))
    var keysURL: String?

    @Option(
        name: .customLong("session-keys-url"),
        help: ArgumentHelp(
            "Where the keys of session cookies come from. Default: the configuration's, or GATEHOUSE_FIREBASE_SESSION_KEYS_URL.",
            valueName: "url"))
    var sessionKeysURL: String?

    /// The process's environment, with variables replaced by the corresponding options.
    var environment: [String: String] {
        var environment = Configuration.processEnvironment
        if let keysURL { environment["GATEHOUSE_FIREBASE_KEYS_URL"] = keysURL }
        if let sessionKeysURL { environment["GATEHOUSE_FIREBASE_SESSION_KEYS_URL"] = sessionKeysURL }
        return environment
    }
}
