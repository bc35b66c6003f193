internal import GatewayConfiguration
internal import GatewayCore
internal import WireFuzzTargets

/// The properties of every accepted configuration: it permits only what it names.
struct ConfigurationProperties {
    private let configuration: Configuration

    init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    func check() {
        checkRoutes()
        checkIdentity()
        checkBounds()
        checkHeaders()
    }

    private func checkRoutes() {
        let hasPolicies = configuration.decisions != nil
        require(!configuration.routes.isEmpty, "there are routes")
        require(!configuration.upstreams.isEmpty || hasPolicies, "there are upstreams")
        let names = configuration.upstreams.map(\.name)
        require(Set(names).count == names.count, "an upstream has a name of its own")
        require(configuration.upstreams.allSatisfy { !$0.servers.isEmpty }, "an upstream has a server")
        for route in configuration.routes {
            require(route.upstream.map(names.contains) ?? hasPolicies, "a route goes to an upstream that there is")
            require(route.path.utf8.first == UInt8(ascii: "/"), "a route's path begins with a slash")
            let isOpen = route.auth == .none
            require(isOpen || configuration.identity.firebase != nil, "who asks for a token can verify one")
        }
    }

    private func checkIdentity() {
        require(configuration.identity.clockSkew <= .seconds(60), "the clock skew is at most a minute")
        require(configuration.identity.clockSkew >= .zero, "and not negative")
        guard let firebase = configuration.identity.firebase else { return }
        require(!firebase.project.isEmpty, "a project has an id")
        require(firebase.tenant != .only(""), "a tenant has an id")
        let isLocal = configuration.listen.allSatisfy { $0.address.isLoopback }
        require(
            !firebase.insecureEmulator || isLocal || firebase.insecureEmulatorOn == .any,
            "unsigned tokens are taken on loopback alone")
        for url in [firebase.keysURL, firebase.sessionKeysURL] where !firebase.insecureHTTP {
            require(url.lowercased().hasPrefix("https://") || isOfLoopback(url), "keys come over TLS or from here")
        }
    }

    private func isOfLoopback(_ url: String) -> Bool {
        let rest = url.dropFirst("http://".count)
        let end = rest.firstIndex { "/?".contains($0) } ?? rest.endIndex
        let authority = rest[..<end].lowercased()
        return ["127.", "localhost", "[::1]", "[0:", "[::ffff:"].contains { authority.hasPrefix($0) }
            || authority.hasPrefix("[") && authority.contains("1]")
    }

    private func checkBounds() {
        let limits = configuration.limits
        require(limits.connections > 0 && limits.headSize > 0 && limits.headFields > 0, "limits let something pass")
        require(limits.headTimeout > .zero && limits.idleTimeout > .zero, "timeouts are times")
        let keys = configuration.identity.keys
        require(keys.minTTL <= keys.maxTTL && keys.refreshAt > 0 && keys.refreshAt <= 1, "keys are refreshed in time")
        require(keys.minTTL >= .zero && keys.staleFor >= .zero && keys.unknownKeyCooldown >= .zero, "and not before")
        require(configuration.upstreams.allSatisfy { $0.connections > 0 }, "an upstream can be connected to")
        require(configuration.listen.allSatisfy { (0...65_535).contains($0.address.port) }, "ports are ports")
        require(configuration.workers.map { $0 > 0 } ?? true, "there is a worker")
    }

    private func checkHeaders() {
        let names = configuration.headers.extra.map { $0.name.lowercased() }
        require(Set(names).count == names.count, "an extra field has a name of its own")
        let forbidden: Set = ["host", "content-length", "transfer-encoding", "connection", "authorization", "cookie"]
        require(forbidden.isDisjoint(with: names), "no extra field frames, routes or authenticates")
        require(configuration.headers.prefix.utf8.last == UInt8(ascii: "-"), "the prefix ends with a hyphen")
    }
}
