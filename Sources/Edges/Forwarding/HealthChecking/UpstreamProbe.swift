import GatewayCore
package import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// One connection to each server of an upstream, including TLS, for diagnosis. It sends no request.
package enum UpstreamProbe {
    /// The result for one server.
    package struct Finding: Sendable {
        /// The URL as in the configuration.
        package let server: String
        /// The reason that the connection failed, and its remedy. `nil` if it was opened.
        package let problem: (what: String, remedy: String)?
    }

    /// The maximum timeout of a connection, unless the upstream's is shorter.
    private static let longest = Duration.seconds(5)
    /// The maximum number of concurrent connections.
    private static let connectionsAtOnce = 16

    /// Connects once to each server, in the order of the settings. One of a name's addresses is sufficient.
    package static func connect(to settings: UpstreamSettings, on loop: any EventLoop) async -> [Finding] {
        let dialer = UpstreamDialer(settings: settings)
        return await withTaskGroup(of: (Int, Finding).self) { group in
            var findings: [(Int, Finding)] = []
            for (index, endpoint) in settings.endpoints.enumerated() {
                if index >= connectionsAtOnce, let finding = await group.next() { findings.append(finding) }
                group.addTask { (index, await connect(to: endpoint, dialer, on: loop)) }
            }
            for await finding in group { findings.append(finding) }
            return findings.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private static func connect(
        to endpoint: UpstreamEndpoint, _ dialer: UpstreamDialer, on loop: any EventLoop
    ) async -> Finding {
        let (settings, timeout) = (dialer.settings, min(dialer.settings.connectTimeout, longest.nanoseconds))
        let server = settings.servers[endpoint.server].url
        do {
            let channel = try await loop.flatSubmit {
                dialer.dialForOneRequest(endpoint, on: loop, timeout: timeout, handler: SilentHandler())
            }.get()
            channel.close(promise: nil)
            return Finding(server: server, problem: nil)
        } catch {
            return Finding(server: server, problem: problem(error, settings.name))
        }
    }

    private static func problem(_ error: any Error, _ upstream: String) -> (what: String, remedy: String) {
        switch error {
        case let error as NIOConnectionError:
            guard let first = error.connectionErrors.first else {
                return ("the host name has no address", "correct it in upstreams.\(upstream).servers, or check DNS")
            }
            return problem(first.error, upstream)
        case let error as IOError:
            let reason = String(cString: strerror(error.errnoCode))
            return (reason, "start the server, or correct upstreams.\(upstream).servers")
        case ChannelError.eof: return ("the server closed the connection during the TLS handshake", tlsRemedy(upstream))
        case UpstreamProblem.noHTTP2:
            return (
                UpstreamProblem.text(error), "enable HTTP/2 in the server, or remove upstreams.\(upstream).protocol"
            )
        case is StreamProblem:
            return (UpstreamProblem.text(error), "check that the server accepts HTTP/2 at this port")
        case is ChannelError:
            return ("the connection timed out", "check the address, the firewall, and that the server is running")
        default: return (UpstreamProblem.text(error), tlsRemedy(upstream))
        }
    }

    private static func tlsRemedy(_ upstream: String) -> String {
        "check the server's certificate and upstreams.\(upstream).tls, or use http:// if the server has no TLS"
    }
}

/// A channel handler that ignores everything that a server sends.
private final class SilentHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
