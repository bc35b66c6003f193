import GatewayConfiguration
import GatewayCore
import HTTPServer
import HTTPWire
import NIOCore

/// A single health check of one server, on its own connection of the same kind as for requests.
struct HealthProbe: Sendable {
    let dialer: UpstreamDialer
    let check: Configuration.Upstream.HealthCheck

    enum Problem: Error {
        case late, closed, invalidResponse
    }

    /// Runs the check. Returns the reason if the server is unhealthy, otherwise `nil`.
    func run(_ endpoint: UpstreamEndpoint, on loop: any EventLoop) async -> String? {
        do {
            let status = try await loop.flatSubmit { query(endpoint, on: loop) }.get()
            return check.status.contains { $0.contains(status) } ? nil : "check: status \(status)"
        } catch Problem.late {
            return "check: timed out"
        } catch Problem.closed {
            return "check: the connection was closed without a response"
        } catch Problem.invalidResponse {
            return "check: the response is not valid HTTP"
        } catch {
            return "check: \(UpstreamProblem.text(error))"
        }
    }

    private func query(_ endpoint: UpstreamEndpoint, on loop: any EventLoop) -> EventLoopFuture<Int> {
        let timeout = check.timeout.nanoseconds
        let promise = loop.makePromise(of: Int.self)
        let late = loop.scheduleTask(in: .nanoseconds(Int64(clamping: timeout))) { promise.fail(Problem.late) }
        let dialed = dialer.dial(endpoint, on: loop, timeout: timeout, handler: HealthResponseHandler(promise))
        let request = ByteBuffer(string: head(for: endpoint))
        dialed.whenSuccess { channel in
            channel.writeAndFlush(request, promise: nil)
            promise.futureResult.whenComplete { _ in channel.close(promise: nil) }
        }
        dialed.whenFailure { promise.fail($0) }
        promise.futureResult.whenComplete { _ in late.cancel() }
        return promise.futureResult
    }

    private func head(for endpoint: UpstreamEndpoint) -> String {
        let server = dialer.settings.servers[endpoint.server]
        let named = ListenAddress(host: server.tlsName ?? server.host, port: server.port)
        let host = check.host ?? (server.host.isEmpty ? "localhost" : "\(named)")
        return "GET \(check.path) HTTP/1.1\r\nHost: \(host)\r\nUser-Agent: gatehouse-check\r\nConnection: close\r\n\r\n"
    }
}

/// A channel handler that reads the head of a check's response and ignores the rest.
private final class HealthResponseHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let promise: EventLoopPromise<Int>
    private var inbound = ByteBuffer()
    private var scanned = 0

    /// The limits of the head.
    private static let limits = HeadLimits(size: 16_384, fields: 128)

    init(_ promise: EventLoopPromise<Int>) {
        self.promise = promise
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var arrived = unwrapInboundIn(data)
        inbound.hold(&arrived)
        while let end = inbound.withUnsafeReadableBytes({ HeadScan.end(in: $0, scanned: &scanned) }) {
            scanned = 0
            guard end <= Self.limits.size, let head = inbound.readSlice(length: end) else { break }
            guard let status = status(of: head) else { break }
            // Interim responses precede the final one.
            guard status < 200 else { return promise.succeed(status) }
        }
        if inbound.readableBytes > Self.limits.size || inbound.readerIndex > Self.limits.size * 4 {
            promise.fail(HealthProbe.Problem.invalidResponse)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(HealthProbe.Problem.closed)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(HealthProbe.Problem.closed)
        context.close(promise: nil)
    }

    private func status(of head: ByteBuffer) -> Int? {
        let fields = FieldTable(capacity: Self.limits.fields)
        let parsed = head.withUnsafeReadableBytes { bytes in
            try? ResponseParser.parse(bytes, requestMethod: .get, fields: fields, limits: Self.limits)
        }
        guard let parsed, parsed.status != 101 else {
            promise.fail(HealthProbe.Problem.invalidResponse)
            return nil
        }
        return Int(parsed.status)
    }
}

/// The verdict on a server's health from its checks, as a pure value. A server is initially healthy.
struct HealthVerdict: Sendable {
    /// The number of consecutive checks, successful or failed, that change the verdict.
    let healthy: Int
    let unhealthy: Int
    private(set) var isHealthy = true
    private var inRow = 0

    init(healthy: Int, unhealthy: Int) {
        self.healthy = healthy
        self.unhealthy = unhealthy
    }

    /// Records a check. Returns whether the server is healthy.
    mutating func checked(passed: Bool) -> Bool {
        // Only consecutive checks that contradict the verdict count.
        inRow = passed == isHealthy ? 0 : inRow + 1
        if inRow >= (isHealthy ? unhealthy : healthy) {
            isHealthy.toggle()
            inRow = 0
        }
        return isHealthy
    }
}
