import ArgumentParser
import GatewayConfiguration

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The default ports of the demo on 127.0.0.1. The manual and other commands name them.
enum DemoPorts {
    static let gateway: UInt16 = 8080
    static let admin: UInt16 = 9901
    static let provider: UInt16 = 9902
    static let echo: UInt16 = 9903

    /// Returns whether the port is free on 127.0.0.1.
    static func isFree(_ port: UInt16) -> Bool {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(descriptor, 1) == 0
            }
        }
    }
}

/// The addresses of the demo's servers. They are constant unless an option chooses others.
struct DemoAddressOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The gateway's address. Default: 127.0.0.1:8080.", valueName: "host:port"))
    var listen: String?

    @Option(help: ArgumentHelp("The port of the admin listener on 127.0.0.1. Default: 9901.", valueName: "port"))
    var adminPort: UInt16?

    @Option(help: ArgumentHelp("The port of the identity provider on 127.0.0.1. Default: 9902.", valueName: "port"))
    var providerPort: UInt16?

    @Option(help: ArgumentHelp("The port of the echo service on 127.0.0.1. Default: 9903.", valueName: "port"))
    var echoPort: UInt16?

    @Flag(
        help: ArgumentHelp(
            "For a container: listen on all of its addresses, serve sign-ins at the gateway, and write no files. "
                + "GATEHOUSE_DEMO_CONTAINER=1 has the same effect."))
    var container = false

    @Flag(help: "Use any free port for each server that has no option of its own.")
    var anyPorts = false

    /// Whether the demo runs in a container. An image sets the variable, because its user names only the command.
    var isInContainer: Bool { container || Configuration.processEnvironment["GATEHOUSE_DEMO_CONTAINER"] == "1" }

    /// The host of the listeners of clients and operators.
    var host: String { isInContainer ? "0.0.0.0" : "127.0.0.1" }

    var gateway: String { listen ?? "\(host):\(chosen(nil, DemoPorts.gateway))" }
    /// The gateway's origin for browsers on this machine. `nil` if its port is not known before the start, or if
    /// browsers do not reach the identity provider.
    var publicURL: String? {
        guard !isInContainer, !gateway.hasPrefix("unix:"), !gateway.hasSuffix(":0") else { return nil }
        let origin = "http://\(gateway.lowercased())"
        return origin.hasSuffix(":80") ? String(origin.dropLast(3)) : origin
    }
    var admin: UInt16 { chosen(adminPort, DemoPorts.admin) }
    var provider: UInt16 { chosen(providerPort, DemoPorts.provider) }
    var echo: UInt16 { chosen(echoPort, DemoPorts.echo) }

    /// Returns 0 for any free port.
    private func chosen(_ option: UInt16?, _ standard: UInt16) -> UInt16 {
        option ?? (anyPorts ? 0 : standard)
    }

    /// Checks that the ports on 127.0.0.1 are free. A port that another program takes afterwards is an error of the
    /// server that binds it.
    ///
    /// - Throws: `Refused` with a line per port in use: the program that listens there, and the option that chooses
    ///   another port.
    func checkPorts() throws(Refused) {
        let servers = [
            ("gateway", gateway.hasPrefix("127.0.0.1:") ? UInt16(gateway.dropFirst(10)) ?? 0 : 0, "--listen HOST:PORT"),
            ("admin listener", admin, "--admin-port PORT"),
            ("identity provider", provider, "--provider-port PORT"),
            ("echo service", echo, "--echo-port PORT"),
        ]
        let conflicts = servers.filter { $0.1 != 0 && !DemoPorts.isFree($0.1) }.map { name, port, option in
            "127.0.0.1:\(port), the port of the demo's \(name), is in use by \(PortHolder.name(of: port)); "
                + "stop that program, choose another port with \(option), or any free ports with --any-ports"
        }
        guard conflicts.isEmpty else { throw Refused(conflicts.joined(separator: "\n")) }
    }
}
