import GatewayConfiguration
import GatewayCore
import HTTPServer
import HTTPWire
import NIOCore

/// Asks one server once whether it is well, on a connection of its own of the kind that requests use.
struct HealthProbe: Sendable {
    let dialer: UpstreamDialer
    let check: Configuration.Upstream.HealthCheck

    enum Problem: Error {
        case late, closed, invalidAnswer
    }

    /// - Returns: why it is not well; nil: it is.
    func run(_ endpoint: UpstreamEndpoint, on loop: any EventLoop) async -> String? {
        do {
            let status = try await loop.flatSubmit { ask(endpoint, on: loop) }.get()
            return check.status.contains { $0.contains(status) } ? nil : "check: status \(status)"
        } catch Problem.late {
            return "check: no answer in time"
        } catch Problem.closed {
            return "check: the connection ended without an answer"
        } catch Problem.invalidAnswer {
            return "check: the answer is not HTTP"
        } catch {
            return "check: \(UpstreamProblem.text(error))"
        }
    }

    private func ask(_ endpoint: UpstreamEndpoint, on loop: any EventLoop) -> EventLoopFuture<Int> {
        let timeout = check.timeout.nanoseconds
        let answer = loop.makePromise(of: Int.self)
        let late = loop.scheduleTask(in: .nanoseconds(Int64(clamping: timeout))) { answer.fail(Problem.late) }
        let dialed = dialer.dial(endpoint, on: loop, timeout: timeout, handler: HealthAnswer(answer))
        let request = ByteBuffer(string: head(for: endpoint))
        dialed.whenSuccess { channel in
            channel.writeAndFlush(request, promise: nil)
            answer.futureResult.whenComplete { _ in channel.close(promise: nil) }
        }
        dialed.whenFailure { answer.fail($0) }
        answer.futureResult.whenComplete { _ in late.cancel() }
        return answer.futureResult
    }

    private func head(for endpoint: UpstreamEndpoint) -> String {
        let server = dialer.settings.servers[endpoint.server]
        let named = ListenAddress(host: server.tlsName ?? server.host, port: server.port)
        let host = check.host ?? (server.host.isEmpty ? "localhost" : "\(named)")
        return "GET \(check.path) HTTP/1.1\r\nHost: \(host)\r\nUser-Agent: gatehouse-check\r\nConnection: close\r\n\r\n"
    }
}

/// Takes the head of a check's answer; the rest of it is not read.
private final class HealthAnswer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let answer: EventLoopPromise<Int>
    private var inbound = ByteBuffer()
    private var scanned = 0

    /// The longest head that is taken.
    private static let limits = HeadLimits(size: 16_384, fields: 128)

    init(_ answer: EventLoopPromise<Int>) {
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var arrived = unwrapInboundIn(data)
        inbound.hold(&arrived)
        while let end = inbound.withUnsafeReadableBytes({ HeadScan.end(in: $0, scanned: &scanned) }) {
            scanned = 0
            guard end <= Self.limits.size, let head = inbound.readSlice(length: end) else { break }
            guard let status = status(of: head) else { break }
            // An interim answer precedes the answer.
            guard status < 200 else { return answer.succeed(status) }
        }
        if inbound.readableBytes > Self.limits.size || inbound.readerIndex > Self.limits.size * 4 {
            answer.fail(HealthProbe.Problem.invalidAnswer)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        answer.fail(HealthProbe.Problem.closed)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(HealthProbe.Problem.closed)
        context.close(promise: nil)
    }

    private func status(of head: ByteBuffer) -> Int? {
        let fields = FieldTable(capacity: Self.limits.fields)
        let parsed = head.withUnsafeReadableBytes { bytes in
            try? ResponseParser.parse(bytes, requestMethod: .get, fields: fields, limits: Self.limits)
        }
        guard let parsed, parsed.status != 101 else {
            answer.fail(HealthProbe.Problem.invalidAnswer)
            return nil
        }
        return Int(parsed.status)
    }
}

/// Whether a server is well, from its checks: a pure value. It counts as well until checks say otherwise.
struct HealthVerdict: Sendable {
    /// After so many good checks in a row it is well, after so many failed ones it is not.
    let healthy: Int
    let unhealthy: Int
    private(set) var isHealthy = true
    private var inRow = 0

    init(healthy: Int, unhealthy: Int) {
        self.healthy = healthy
        self.unhealthy = unhealthy
    }

    /// - Returns: whether it is well now.
    mutating func checked(passed: Bool) -> Bool {
        // Only checks that speak against the verdict count towards another.
        inRow = passed == isHealthy ? 0 : inRow + 1
        if inRow >= (isHealthy ? unhealthy : healthy) {
            isHealthy.toggle()
            inRow = 0
        }
        return isHealthy
    }
}
