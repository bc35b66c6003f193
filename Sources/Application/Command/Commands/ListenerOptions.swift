import ArgumentParser
import GatewayConfiguration
import GatewayCore

/// Where to listen, in place of the configuration's addresses.
struct ListenerOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Where to listen. Default: the configuration's listeners; without a file, 127.0.0.1:8080.",
            valueName: "host:port"))
    var listen: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Where the admin listener is, or off. Default: the configuration's; without a file, 127.0.0.1:9901.",
            valueName: "host:port"))
    var admin: String?

    /// The addresses are checked as those of a file are.
    func apply(to configuration: inout Configuration) throws(ConfigurationErrors) {
        // First: the new listener must not collide with an admin listener that is moved away.
        if let admin { try configuration.overrideAdmin(admin) }
        if let listen { try configuration.overrideListen(listen) }
    }
}
