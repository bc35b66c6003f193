package import GatewayCore
import HTTPWire
package import NIOCore

/// What a client's connection keeps of a stream that goes through it: what it is, until when it may go on, and where its frames end.
package final class OpenStream {
    package enum Kind: Equatable, Sendable {
        /// Bytes both ways after an upstream's 101.
        case tunnel(isWebSocket: Bool)
        /// An answer whose body goes on and on.
        case answer
        /// Any other exchange that lasts: only its permission is looked at.
        case exchange
    }

    let kind: Kind
    package var watch: StreamWatch
    /// One direction of a tunnel has ended.
    var isHalfClosed = false
    private var toClient = WebSocketFrames()
    private var toUpstream = WebSocketFrames()

    package init(_ kind: Kind, watch: StreamWatch) {
        self.kind = kind
        self.watch = watch
    }

    private var isWebSocket: Bool { kind == .tunnel(isWebSocket: true) }

    /// Bytes are on their way to the client.
    package func passedToClient(_ bytes: ByteBuffer) {
        guard isWebSocket else { return }
        bytes.withUnsafeReadableBytes { toClient.pass($0) }
    }

    /// Bytes are on their way to the upstream.
    func passedToUpstream(_ bytes: ByteBuffer) {
        guard isWebSocket else { return }
        bytes.withUnsafeReadableBytes { toUpstream.pass($0) }
    }

    /// The close frame that the client can be told with; nil: it is no WebSocket, or is in the middle of a frame, or was told.
    func closeFrameToClient(_ code: UInt16, _ reason: StaticString) -> ByteBuffer? {
        guard isWebSocket, toClient.isAtBoundary, !toClient.hasClose else { return nil }
        return ByteBuffer(bytes: WebSocketClose.frame(code: code, reason: reason))
    }

    /// The same for the upstream: the client is going away.
    func closeFrameToUpstream(mask: UInt32) -> ByteBuffer? {
        guard isWebSocket, toUpstream.isAtBoundary, !toUpstream.hasClose else { return nil }
        return ByteBuffer(bytes: WebSocketClose.frame(code: 1001, mask: mask))
    }
}

/// How a stream ends that could go on: what the log says of it, and what the client is told.
struct StreamEnding: Equatable {
    let code: DecisionCode
    /// For the log.
    let reason: String
    /// The status code and the reason of a close frame (RFC 6455 section 7.4.1).
    let closeCode: UInt16
    let closeReason: StaticString

    /// Its permission is gone.
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
