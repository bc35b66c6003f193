import HTTPWire

/// The state machine of one request and its response on an upstream connection, as a pure value.
struct UpstreamExchange: Sendable {
    /// The state of the response.
    enum ResponsePhase: Equatable, Sendable {
        case awaitingHead
        case body
        case complete
    }

    /// The framing of the response's body for the client.
    enum Delivery: Equatable, Sendable {
        /// No body, or a known length: bytes are passed on unchanged.
        case asIs
        case chunked
        /// For HTTP/1.0, which has no chunks: the end of the connection ends the body.
        case untilClose
    }

    /// The meaning of the end of the upstream's connection.
    enum Outcome: Equatable, Sendable {
        /// The response is complete, possibly by this end.
        case complete
        /// No byte of a response arrived, and the connection may have been closed before it received the request.
        case retry
        /// No byte of a response arrived.
        case noResponse
        /// The response's head is incomplete.
        case brokenHead
        /// The response's body is incomplete.
        case brokenBody
    }

    private(set) var responsePhase: ResponsePhase = .awaitingHead
    /// Whether the request is not completely sent.
    private(set) var requestOpen = true
    private(set) var sentBody = false
    private var gotBytes = false
    private var hasFailed = false
    private var endsWithConnection = false
    private var responsePermitsReuse = false
    /// Whether the connection is a tunnel, after a 101.
    private(set) var isTunnel = false
    /// Whether the upstream's direction of a tunnel has ended.
    private var outputEnded = false
    /// When a part of the request was last sent.
    private(set) var lastProgress: UInt64
    /// Whether the connection is reused, the request's method is idempotent (RFC 9110 section 9.2.2), and this is the
    /// first attempt.
    let isRetryable: Bool
    private let isIdempotent: Bool
    private var passedInterim = false
    private var interimCount = 0
    private var isWithdrawn = false
    /// Whether the server reset the stream of the request, which it thus received.
    private(set) var isReset = false

    /// The maximum number of interim (1xx) responses.
    static let maximumInterim = 16

    init(isRetryable: Bool, isIdempotent: Bool = false, now: UInt64) {
        self.isRetryable = isRetryable
        self.isIdempotent = isIdempotent
        lastProgress = now
    }

    mutating func bodySent(now: UInt64) {
        sentBody = true
        lastProgress = now
    }

    mutating func requestEnded(now: UInt64) {
        requestOpen = false
        lastProgress = now
    }

    /// Records an interim response. Returns whether the number is within the limit.
    mutating func interimReceived() -> Bool {
        interimCount += 1
        return interimCount <= Self.maximumInterim
    }

    /// Records an interim response that was passed on to the client.
    mutating func interimPassed() { passedInterim = true }

    /// Whether the request may be sent to another server: the method is idempotent, no part of the body was sent, and
    /// no part of the response was passed on.
    var maySendElsewhere: Bool { isIdempotent && !sentBody && !passedInterim && responsePhase == .awaitingHead }

    mutating func bytesReceived() { gotBytes = true }

    /// Marks the request as unsent. Another connection may send it, whatever its method (RFC 9110 section 9.2.2).
    mutating func withdraw() { isWithdrawn = true }

    /// Records that the server reset the stream.
    mutating func streamWasReset() { isReset = true }

    /// Records that the connection ended with an error, not by a regular close.
    mutating func connectionFailed() { hasFailed = true }

    /// Records the final head of the response.
    mutating func headReceived(framing: BodyFraming, keepAlive: Bool) {
        responsePermitsReuse = keepAlive
        switch framing {
        case .none: responsePhase = .complete
        case .length(let length): responsePhase = length == 0 ? .complete : .body
        case .chunked: responsePhase = .body
        case .untilClose:
            responsePhase = .body
            endsWithConnection = true
        }
    }

    mutating func bodyEnded() { responsePhase = .complete }

    /// Records a switch of protocols. Both directions continue until they end.
    mutating func tunnelBegan() {
        isTunnel = true
        requestOpen = true
        responsePhase = .body
        endsWithConnection = true
        responsePermitsReuse = false
    }

    /// Records the end of the upstream's direction of a tunnel. Returns whether both directions have ended.
    mutating func tunnelOutputEnded() -> Bool {
        outputEnded = true
        return !requestOpen
    }

    /// Records the end of the client's direction of a tunnel. Returns whether both directions have ended.
    mutating func tunnelInputEnded() -> Bool {
        requestOpen = false
        return outputEnded
    }

    /// Whether the connection may serve another request: both directions have ended, and the upstream keeps it open.
    ///
    /// If the upstream responds before it has read the body, the connection is not reused.
    var isReusable: Bool { responsePhase == .complete && !requestOpen && responsePermitsReuse && !endsWithConnection }

    func outcome() -> Outcome {
        switch responsePhase {
        case .complete: return .complete
        case .body: return endsWithConnection && !hasFailed ? .complete : .brokenBody
        case .awaitingHead:
            if gotBytes { return .brokenHead }
            return ((isRetryable && !isReset) || isWithdrawn) && !sentBody ? .retry : .noResponse
        }
    }

    /// Returns whether the timeout for the start of the response has expired since the request was completely sent.
    func responseIsLate(now: UInt64, limit: UInt64) -> Bool {
        responsePhase == .awaitingHead && !requestOpen && now > lastProgress && now - lastProgress > limit
    }
}
