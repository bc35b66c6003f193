import GatewayCore

/// The limits of one HTTP/2 connection; sizes in bytes, times in nanoseconds.
package struct HTTP2Limits: Sendable, Equatable {
    /// The number of concurrent streams that is announced. Further streams are refused.
    package var streams = 100
    /// The bytes of request bodies that a client may send ahead, per stream and per connection.
    package var streamWindow = 65_536
    package var connectionWindow = 1_048_576
    /// The resets of a connection within ``resetPeriod``: sent by the client, or caused by its errors.
    package var resets = 200
    /// The control frames of a connection per second, and the frames of a stream that carry nothing.
    package var controlFrames = 200
    /// The age from which a connection accepts no further streams, shortened or lengthened at random by a tenth. `nil`
    /// if there is no limit.
    package var maximumAge: UInt64? = 3_600_000_000_000
    /// When a silent client is sent PING, and disconnected. `nil` if it is not.
    package var keepAlive: KeepAlive.Limits?

    package init() {}

    static let resetPeriod: UInt64 = 30_000_000_000
    /// The CONTINUATION frames of one head.
    static let continuations = 16
    /// The entries of one SETTINGS frame.
    static let settings = 32
    /// The dynamic table of our encoder, which NIO searches line by line.
    static let tableSize: UInt32 = 4_096
    /// The size of a frame, in both directions.
    static let frameSize: UInt32 = 16_384
    /// WINDOW_UPDATE frames per DATA frame that the client received, and those that it may send in advance.
    static let windowUpdatesPerData = 10
    static let windowUpdates = 2_000
    /// The bytes of removed DATA from which the window of the connection is opened again.
    static let credit = 16_384
    /// The time between the two GOAWAY frames of a graceful end.
    static let goAwayInterval: UInt64 = 1_000_000_000
    /// The bytes of request heads that a connection may hold for each of its streams, together for all.
    static let headBytesPerStream = 10_240
    /// The streams whose late frames are dropped after they were reset.
    static let resetStreams = 256
    /// The heads of a connection that one turn of its event loop begins.
    static let headsPerTurn = 32
}

extension WorkerCounters {
    /// Counts an HTTP/2 connection that ended with an error.
    func count(_ failure: HTTP2Failure) {
        switch failure {
        case .protocolError: add(to: .http2ProtocolErrors)
        case .resets: add(to: .http2Resets)
        case .controlFrames: add(to: .http2ControlFrames)
        case .continuations: add(to: .http2Continuations)
        case .settings: add(to: .http2Settings)
        case .timeout: add(to: .http2Timeouts)
        case .pingTimeout: add(to: .http2PingTimeouts)
        case .encoding: add(to: .http2EncodingErrors)
        }
    }
}

/// The reasons for which the gateway ends an HTTP/2 connection with an error.
package enum HTTP2Failure: Sendable, Equatable, CaseIterable {
    /// An error that the protocol's implementation found.
    case protocolError
    case resets
    case controlFrames
    case continuations
    case settings
    /// No complete preface, SETTINGS or acknowledgement in time; a head that is incomplete for too long.
    case timeout
    /// No bytes after a PING of the gateway.
    case pingTimeout
    /// A response could not be encoded, or its frames could not be found.
    case encoding

    /// The error code of GOAWAY (RFC 9113 section 7).
    var errorCode: UInt32 {
        switch self {
        case .pingTimeout: 0x0
        case .protocolError: 0x1
        case .encoding: 0x2
        case .timeout: 0x4
        case .resets, .controlFrames, .continuations, .settings: 0xB
        }
    }
}
