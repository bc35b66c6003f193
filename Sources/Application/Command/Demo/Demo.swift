import DevelopmentIdentity
import Diagnostics
import Gatehouse
import GatewayConfiguration
import GatewayCore
import Observability

/// The demo: identity provider, echo service and gateway in one process, on loopback. In a container, gateway and admin
/// listener are on all addresses, since a published port is forwarded to another one.
struct Demo {
    let provider: DevelopmentProvider
    let echo: EchoUpstream
    let gateway: Gateway
    let configuration: Configuration
    /// The addresses of the gateway and its admin listener, for clients on this machine.
    let address, adminAddress: ListenAddress
    let isInContainer: Bool

    /// The URL at which clients mint tokens.
    var mintURL: String { isInContainer ? "http://\(address)\(Self.mintPath)" : provider.url(.mint) }

    /// The URL of the admin API. The listener rejects 127.0.0.1 as the name of another address, so that clients outside
    /// of a container need `localhost`.
    var adminURL: String { "http://\(isInContainer ? "localhost:\(adminAddress.port)" : "\(adminAddress)")" }

    /// The token of the admin API and of the console. It is public.
    var adminToken: String {
        configuration.admin.token?.withBytes { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The path for minting, at the provider and at the gateway of a container.
    private static let mintPath = DevelopmentProvider.Endpoint.mint.rawValue

    /// Starts the demo.
    ///
    /// - Parameter isLogged: Whether the access log goes to standard output.
    /// - Throws: `Refused` with the remedy, for example if a port is in use.
    static func start(_ addresses: DemoAddressOptions, isLogged: Bool) async throws(Refused) -> Demo {
        try addresses.checkPorts()
        let (keys, directory) = try signingKeys(isStored: !addresses.isInContainer)
        let provider: DevelopmentProvider
        let echo: EchoUpstream
        do throws(DevelopmentIdentityError) {
            provider = try await .start(port: Int(addresses.provider), keys: keys, keyDirectory: directory)
            echo = try await .start(port: Int(addresses.echo))
        } catch {
            throw Refused(error)
        }
        let configuration = try configuration(addresses, isLogged, provider, echo)
        let gateway: Gateway
        do {
            let log = ProcessLog(configuration.log)
            gateway = try await .start(configuration, logger: log.logger(level: configuration.log.level))
        } catch {
            throw Refused(error)
        }
        guard let address = gateway.listenAddresses.first, let admin = gateway.adminListenAddress else {
            throw Refused(
                "the demo's configuration has no listener or no admin listener; restore \(DemoConfiguration.file)")
        }
        return Demo(
            provider: provider, echo: echo, gateway: gateway, configuration: configuration,
            address: address.ofThisMachine, adminAddress: admin.ofThisMachine, isInContainer: addresses.isInContainer)
    }

    /// Returns the keys that `token mint` also uses, or temporary keys if they are not or cannot be stored.
    private static func signingKeys(isStored: Bool) throws(Refused) -> (DevelopmentKeys, directory: String?) {
        if isStored {
            let directory = DevelopmentState.directory()
            do throws(DevelopmentIdentityError) {
                return (try DevelopmentKeys.load(orCreateIn: directory), directory)
            } catch {
                Console.complain(
                    "\(error); this demo uses temporary keys, so it does not accept tokens of `gatehouse token mint`")
            }
        }
        do {
            return (try DevelopmentKeys.generate(), nil)
        } catch {
            throw Refused(error)
        }
    }

    private static func configuration(
        _ addresses: DemoAddressOptions, _ isLogged: Bool, _ provider: DevelopmentProvider, _ echo: EchoUpstream
    ) throws(Refused) -> Configuration {
        var variables = [
            "GATEHOUSE_DEMO_LISTEN": addresses.gateway,
            "GATEHOUSE_DEMO_ADMIN": "\(addresses.host):\(addresses.admin)",
            "GATEHOUSE_DEMO_KEYS_URL": provider.url(.idTokenJWKSet),
            "GATEHOUSE_DEMO_SESSION_KEYS_URL": provider.url(.sessionX509),
            "GATEHOUSE_DEMO_PROVIDER_URL": "http://127.0.0.1:\(provider.port)",
            "GATEHOUSE_DEMO_UPSTREAM": echo.url,
        ]
        variables["GATEHOUSE_DEMO_PUBLIC_URL"] = addresses.publicURL
        if !isLogged { variables["GATEHOUSE_DEMO_ACCESS_LOG"] = "off" }
        let page = try DemoPage.make(
            providerURL: addresses.isInContainer ? nil : "http://127.0.0.1:\(provider.port)", mintPath: mintPath,
            linksSignIn: addresses.publicURL != nil)
        do throws(ConfigurationErrors) {
            var configuration = try DemoConfiguration.load(variables)
            configuration.accounts?.demoPage = page
            if addresses.publicURL == nil {
                configuration.accounts?.publicURL = nil
                configuration.accounts?.page = nil
            }
            if addresses.isInContainer {
                configuration.addMinting(at: mintPath, to: provider.port)
                return configuration
            }
            guard configuration.listen.allSatisfy(\.address.isLoopback) else {
                throw ConfigurationErrors([
                    ConfigurationError(
                        location: SourceLocation(origin: "--listen"),
                        what:
                            "an address that other machines can reach, although the demo signs in any client as any user",
                        remedy: "listen on 127.0.0.1, or, in a container, add --container")
                ])
            }
            return configuration
        } catch {
            throw Refused(error)
        }
    }

    /// Waits until the gateway is ready. Throws after ten seconds.
    func waitUntilReady() async throws(Refused) {
        for _ in 0..<100 {
            let request = PlainRequest("GET", "http://\(adminAddress)/readyz")
            if let answer = try? await PlainHTTPClient.send(request), answer.status == 200 { return }
            try? await Task.sleep(for: .milliseconds(100))
        }
        throw Refused("the demo's gateway is not ready after ten seconds; look at http://\(adminAddress)/readyz")
    }

    func stop() async {
        await gateway.stop()
        await echo.stop()
        await provider.stop()
    }
}

extension Configuration {
    /// Adds a public route to the provider's endpoint for minting, because only the gateway's port is published. The
    /// endpoint accepts only requests to a loopback host.
    fileprivate mutating func addMinting(at path: String, to port: Int) {
        let name = "identity-provider"
        upstreams.append(Upstream(name: name, servers: [UpstreamServer(host: "127.0.0.1", port: port)]))
        var route = Route(path: path, upstream: name, location: SourceLocation(origin: "--container"))
        route.auth = .none
        routes.insert(route, at: 0)
    }
}

extension ListenAddress {
    /// The address at which clients on this machine reach the listener.
    fileprivate var ofThisMachine: ListenAddress { isWildcard ? ListenAddress(host: "127.0.0.1", port: port) : self }
}
