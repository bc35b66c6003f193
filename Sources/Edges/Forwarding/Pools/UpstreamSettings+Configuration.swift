import GatewayConfiguration
import GatewayCore
import HTTPServer
import NIOCore

extension UpstreamSettings {
    /// Creates the settings.
    ///
    /// - Parameters:
    ///   - counterPlace: The index of the upstream's metrics.
    ///   - tls: The TLS settings. `nil` without an `https://` server.
    ///   - files: The contents of the files.
    init(_ upstream: Configuration.Upstream, counterPlace: Int, tls: UpstreamTLS?, files: [[UInt8]]) {
        self.counterPlace = counterPlace
        name = upstream.name
        servers = upstream.servers.map { Server($0, tls: upstream.tls) }
        connectTimeout = upstream.connectTimeout.nanoseconds
        responseTimeout = upstream.responseTimeout.nanoseconds
        connections = upstream.connections
        pending = upstream.pending
        resolveEvery = upstream.resolveEvery.nanoseconds
        hashOn =
            upstream.balance == .hash
            ? upstream.hashOn.map { BalanceValue($0, upstream: upstream.name) } : nil
        health = upstream.health
        retry = upstream.retry.map(UpstreamRetry.init) ?? .none
        choice = UpstreamServers.Rule(upstream)
        self.protocol = upstream.protocol
        http2 = HTTP2Limits(
            streamsPerConnection: upstream.http2.streamsPerConnection, streamWindow: upstream.http2.streamWindow,
            connectionWindow: upstream.http2.connectionWindow, connectionAge: upstream.http2.connectionAge,
            keepAlive: upstream.http2.pingInterval.map {
                KeepAlive.Limits(interval: $0.nanoseconds, timeout: upstream.http2.pingTimeout.nanoseconds)
            })
        self.tls = tls
        identity = UpstreamIdentity(upstream, files: files)
    }

    /// The endpoints before any name is resolved.
    var endpoints: [UpstreamEndpoint] {
        servers.indices.map { UpstreamEndpoint(server: $0, address: servers[$0].address) }
    }

    /// Whether the upstream needs a monitor: it has names or health checks.
    var needsHealthChecking: Bool { health != nil || servers.contains(where: \.isName) }
}

extension UpstreamSettings.Server {
    fileprivate init(_ server: Configuration.UpstreamServer, tls: Configuration.Upstream.UpstreamTLSFiles) {
        url = server.description
        host = server.host
        port = server.port
        weight = server.weight
        isSecure = server.isSecure
        if let path = server.path {
            address = try? SocketAddress(unixDomainSocketPath: path)
        } else {
            address = try? SocketAddress(ipAddress: server.host, port: server.port)
        }
        tlsName = server.isSecure ? tls.serverName ?? (address == nil ? server.host : nil) : nil
    }
}

extension UpstreamServers.Rule {
    fileprivate init(_ upstream: Configuration.Upstream) {
        switch upstream.balance {
        case .roundRobin: policy = .turns
        case .leastRequests: policy = .leastRequests
        case .hash: policy = .hash
        }
        ejection = upstream.ejection.map { ejection in
            ServerEjection.Rule(
                failures: ejection.failures, time: ejection.time.nanoseconds, maxTime: ejection.maxTime.nanoseconds,
                maxShare: ejection.maxShare)
        }
        slowStart = upstream.slowStart.nanoseconds
        if let health = upstream.health { goodChecks = health.healthy }
    }
}

extension UpstreamRetry {
    fileprivate init(_ retry: Configuration.Upstream.Retry) {
        onConnect = retry.conditions.contains(.connect)
        onReset = retry.conditions.contains(.reset)
        onTimeout = retry.conditions.contains(.timeout)
        let all: [(Configuration.Upstream.Retry.Reason, Int)] = [
            (.status502, 502), (.status503, 503), (.status504, 504),
        ]
        statuses = all.filter { retry.conditions.contains($0.0) }.map(\.1)
        attempts = retry.attempts
        budget = retry.budget
    }
}
