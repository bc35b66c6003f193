package import GatewayCore
import HTTPWire
package import NIOCore

/// The state of a stream on a client connection: its kind, its limits and its frame boundaries.
package final class OpenStream {
    package enum Kind: Equatable, Sendable {
        /// Bytes in both directions after an upstream's 101.
        case tunnel(isWebSocket: Bool)
        /// A response with an unbounded body.
        case response
        /// Any other long exchange, of which only the permission is checked.
        case exchange
    }

    let kind: Kind
    package var watch: StreamWatch
    /// Whether one direction of a tunnel has ended.
    var isHalfClosed = false
    private var toClient = WebSocketFrames()
    private var toUpstream = WebSocketFrames()

    package init(_ kind: Kind, watch: StreamWatch) {
        self.kind = kind
        self.watch = watch
    }

    private var isWebSocket: Bool { kind == .tunnel(isWebSocket: true) }

    /// Tracks bytes sent to the client.
    package func passedToClient(_ bytes: ByteBuffer) {
        guard isWebSocket else { return }
        bytes.withUnsafeReadableBytes { toClient.pass($0) }
    }

    /// Tracks bytes sent to the upstream.
    func passedToUpstream(_ bytes: ByteBuffer) {
        guard isWebSocket else { return }
        bytes.withUnsafeReadableBytes { toUpstream.pass($0) }
    }

    /// Returns a close frame for the client. `nil` without WebSocket, within a frame, and after a close frame.
    func closeFrameToClient(_ code: UInt16, _ reason: StaticString) -> ByteBuffer? {
        guard isWebSocket, toClient.isAtBoundary, !toClient.hasClose else { return nil }
        return ByteBuffer(bytes: WebSocketClose.frame(code: code, reason: reason))
    }

    /// Returns a close frame for the upstream: the client is going away.
    func closeFrameToUpstream(mask: UInt32) -> ByteBuffer? {
        guard isWebSocket, toUpstream.isAtBoundary, !toUpstream.hasClose else { return nil }
        return ByteBuffer(bytes: WebSocketClose.frame(code: 1001, mask: mask))
    }
}

/// The reason for ending a stream early, for the log and for the client.
struct StreamEnding: Equatable {
    let code: DecisionCode
    /// The text for the log.
    let reason: String
    /// The status code and the reason of a close frame (RFC 6455 section 7.4.1).
    let closeCode: UInt16
    let closeReason: StaticString

    /// Creates the ending of a stream whose permission is gone.
    init(refused code: DecisionCode) {
        self.init(code, "the permission ended", 1008, code.wire)
    }

    init(_ end: StreamWatch.End, expired code: DecisionCode) {
        switch end {
        case .expired: self.init(refused: code)
        case .maximum: self.init(.ok, "max_stream", 1001, "max_stream")
        case .idle: self.init(.requestTimeout, "stream_idle_timeout", 1001, "stream_idle_timeout")
        case .drained: self.init(.ok, "the gateway drains", 1001, "going away")
        }
    }

    private init(_ code: DecisionCode, _ reason: String, _ closeCode: UInt16, _ closeReason: StaticString) {
        self.code = code
        self.reason = "stream: " + reason
        self.closeCode = closeCode
        self.closeReason = closeReason
    }

    static func == (one: StreamEnding, other: StreamEnding) -> Bool {
        one.code == other.code && one.reason == other.reason && one.closeCode == other.closeCode
            && "\(one.closeReason)" == "\(other.closeReason)"
    }
}
