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
            if check.grpc != nil { return GRPCHealthCheck.problem(status) }
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
        let handler = HealthResponseHandler(promise, isGRPC: check.grpc != nil)
        let dialed = dialer.dialForOneRequest(endpoint, on: loop, timeout: timeout, handler: handler)
        let request = request(for: endpoint)
        dialed.whenSuccess { channel in
            channel.writeAndFlush(request, promise: nil)
            promise.futureResult.whenComplete { _ in channel.close(promise: nil) }
        }
        dialed.whenFailure { promise.fail($0) }
        promise.futureResult.whenComplete { _ in late.cancel() }
        return promise.futureResult
    }

    private func request(for endpoint: UpstreamEndpoint) -> ByteBuffer {
        let server = dialer.settings.servers[endpoint.server]
        let named = ListenAddress(host: server.tlsName ?? server.host, port: server.port)
        let host = check.host ?? (server.host.isEmpty ? "localhost" : "\(named)")
        if let service = check.grpc { return GRPCHealthCheck.request(service, host: host) }
        return ByteBuffer(
            string: "GET \(check.path) HTTP/1.1\r\nHost: \(host)\r\nUser-Agent: gatehouse-check\r\n"
                + "Connection: close\r\n\r\n")
    }
}

/// A channel handler that reads the head of a check's response and ignores the rest.
private final class HealthResponseHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let promise: EventLoopPromise<Int>
    private var inbound = ByteBuffer()
    private var scanned = 0
    /// The reader of a gRPC response's body, after its head. `nil` with HTTP checks, whose body is ignored.
    private var grpc: GRPCHealthCheck?
    private let isGRPC: Bool

    /// The limits of the head.
    private static let limits = HeadLimits(size: 16_384, fields: 128)

    init(_ promise: EventLoopPromise<Int>, isGRPC: Bool) {
        self.promise = promise
        self.isGRPC = isGRPC
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var arrived = unwrapInboundIn(data)
        inbound.hold(&arrived)
        if grpc != nil { return readGRPC() }
        while let end = inbound.withUnsafeReadableBytes({ HeadScan.end(in: $0, scanned: &scanned) }) {
            scanned = 0
            guard end <= Self.limits.size, let head = inbound.readSlice(length: end) else { break }
            guard let status = status(of: head) else { break }
            // Interim responses precede the final one.
            guard status >= 200 else { continue }
            guard isGRPC, status == 200 else { return promise.succeed(isGRPC ? GRPCHealthCheck.httpFailure : status) }
            grpc = GRPCHealthCheck(head)
            return readGRPC()
        }
        if inbound.readableBytes > Self.limits.size || inbound.readerIndex > Self.limits.size * 4 {
            promise.fail(HealthProbe.Problem.invalidResponse)
        }
    }

    private func readGRPC() {
        guard let result = grpc?.read(&inbound) else { return }
        promise.succeed(result)
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
