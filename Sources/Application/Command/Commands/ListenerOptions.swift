import ArgumentParser
import GatewayConfiguration
import GatewayCore

/// The addresses to listen on, overriding the configuration's.
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

    /// Applies the options. The addresses are checked in the same way as in a file.
    func apply(to configuration: inout Configuration) throws(ConfigurationErrors) {
        // The admin listener comes first, so that the new listener does not collide with its old address.
        if let admin { try configuration.overrideAdmin(admin) }
        if let listen { try configuration.overrideListen(listen) }
    }
}
