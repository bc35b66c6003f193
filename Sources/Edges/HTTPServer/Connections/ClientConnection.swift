import GatewayCore

/// The state machine of one client connection, as a pure value.
///
/// Times are monotonic nanoseconds. `ClientHandler` performs the I/O.
package struct ClientConnection: Sendable {
    /// The phase of the connection between two events.
    package enum Phase: Equatable, Sendable {
        /// The TLS handshake or the PROXY header is in progress.
        case opening
        /// Between requests, or with a partial head received.
        case awaitingHead
        /// A head was parsed. Its request is being decided or waits for an upstream connection.
        case deciding
        /// A responder receives the request's body and writes the response.
        case exchanging
        /// The last response was written but not sent yet. Further input is discarded.
        case finishing
        /// The last response was sent. Further input is discarded until the peer closes.
        case lingering
        case closed
    }

    /// The handling of received bytes.
    enum Arrival: Equatable, Sendable {
        case readHead
        case relayBody
        case hold
        case discard
    }

    /// The step after the end of a response.
    enum Afterwards: Equatable, Sendable {
        case nextRequest
        /// Close after everything is sent.
        case close
        /// The peer may still be sending bytes that are not read. After everything is sent, half-close, discard, then
        /// close.
        case linger
    }

    /// The step after the end of the peer's sending direction.
    enum PeerFinished: Equatable, Sendable {
        case close
        /// No request is being served: close after everything is sent.
        case closeOnceSent
        /// The response is still completed: the request is complete, or its rest may be buffered here, or the response
        /// is being sent.
        case respondThenClose
        /// The end of one direction of a tunnel, to be passed on after the buffered bytes.
        case passOn
        /// The request's body was truncated.
        case abort
    }

    /// The timeout that has expired.
    enum Expiry: Equatable, Sendable {
        case none
        /// No response is due: close.
        case close
        /// No response has begun: send one, then close.
        case requestTimeout
        /// The whole request exceeded `request_timeout` and no response has begun.
        case totalTimeout
        /// A response has begun and cannot be completed.
        case abort
    }

    package private(set) var phase: Phase = .awaitingHead
    /// Whether the request's body is not completely received.
    private(set) var bodyOpen = false
    package private(set) var responseStarted = false
    /// Whether the connection may carry another request.
    private(set) var isPersistent = true
    private(set) var peerFinished = false
    /// Whether the connection is a tunnel: bytes in both directions that are not HTTP.
    private(set) var isTunnel = false
    /// Whether the response is a stream, whose duration is limited elsewhere.
    private var isStream = false
    /// The deadline for sending the rest of an ended stream.
    private var closesBy: UInt64?
    /// Whether the peer may already be sending more: further requests, or tunnel data.
    private var peerGoesOn = false
    private var headBegan: UInt64?
    private var requestBegan: UInt64 = 0
    private(set) var lastProgress: UInt64
    /// When a responder began to receive the body, plus the time during which it accepted none.
    private var bodyBegan: UInt64 = 0
    /// Since when the responder accepts no more of the body. `nil` if it accepts more.
    private var heldSince: UInt64?

    /// Creates a connection. If `opens`, a handshake or a PROXY header comes first.
    init(now: UInt64, opens: Bool = false) {
        lastProgress = now
        if opens { phase = .opening }
    }

    /// Handles the completion of handshake and PROXY header.
    mutating func opened(now: UInt64) {
        guard phase == .opening else { return }
        phase = .awaitingHead
        lastProgress = now
    }

    /// Whether a request is being served.
    package var isServing: Bool { phase == .deciding || phase == .exchanging }

    /// Whether the connection waits for a request and has received no byte of it.
    var isIdle: Bool { phase == .awaitingHead && headBegan == nil }

    /// Whether a partial head was received.
    var hasPartialHead: Bool { phase == .awaitingHead && headBegan != nil }

    /// Whether the body waits for its responder, not for the client.
    var isBodyHeld: Bool { heldSince != nil }

    func arrival() -> Arrival {
        switch phase {
        case .awaitingHead: .readHead
        case .opening, .deciding: .hold
        case .exchanging: bodyOpen && !isBodyHeld ? .relayBody : .hold
        case .finishing, .lingering, .closed: .discard
        }
    }

    /// Handles a partial head.
    mutating func headIsPartial(now: UInt64) {
        if headBegan == nil { headBegan = now }
    }

    /// Handles a complete head. If `requestsTunnel`, no further request is accepted even though the peer keeps the
    /// connection open.
    mutating func headCompleted(persistent: Bool, hasBody: Bool, requestsTunnel: Bool = false, now: UInt64) {
        phase = .deciding
        isPersistent = persistent && !requestsTunnel
        peerGoesOn = persistent || requestsTunnel
        bodyOpen = hasBody
        responseStarted = false
        isStream = false
        requestBegan = headBegan ?? now
        headBegan = nil
        lastProgress = now
    }

    /// Handles the attachment of a responder.
    mutating func exchangeBegan(now: UInt64) {
        guard phase == .deciding else { return }
        phase = .exchanging
        lastProgress = now
        bodyBegan = now
        heldSince = nil
    }

    /// Returns the request to the decision, because its first upstream connection was closed.
    mutating func exchangeReturned() {
        guard phase == .exchanging, !responseStarted else { return }
        phase = .deciding
    }

    /// Handles a request for a tunnel. No further request is accepted, even if the tunnel is not opened, because
    /// subsequent bytes may be tunnel data.
    mutating func tunnelRequested() {
        isPersistent = false
        peerGoesOn = true
    }

    /// Marks the response as a stream, which may continue indefinitely.
    mutating func streamBegan() {
        isStream = true
    }

    /// Handles a switch of protocols. Buffered and received bytes are passed on until both directions have ended.
    mutating func tunnelBegan(now: UInt64) {
        guard phase == .exchanging, responseStarted, !bodyOpen else { return }
        isTunnel = true
        isPersistent = false
        peerGoesOn = true
        bodyOpen = true
        heldSince = nil
        lastProgress = now
    }

    /// Ends a stream early. Written data is still sent, for a short time, then the connection closes.
    mutating func streamEnds(now: UInt64) {
        phase = .finishing
        isPersistent = false
        closesBy = now &+ StreamBounds.farewell
    }

    package mutating func progress(now: UInt64) {
        lastProgress = now
    }

    /// Pauses the body because the responder accepts no more. Input during the pause is no progress, and the time does
    /// not count against the client.
    mutating func bodyHeld(now: UInt64) {
        if heldSince == nil { heldSince = now }
    }

    /// Resumes the body.
    mutating func bodyTaken(now: UInt64) {
        guard let since = heldSince else { return }
        heldSince = nil
        bodyBegan += self.since(since, now)
        lastProgress = now
    }

    mutating func bodyEnded(now: UInt64) {
        bodyOpen = false
        lastProgress = now
    }

    mutating func responseBegan(persistent: Bool, now: UInt64) {
        responseStarted = true
        isPersistent = isPersistent && persistent
        lastProgress = now
    }

    /// Handles the end of a response. `hasMore` states whether bytes of a following request are already buffered.
    mutating func responseEnded(hasMore: Bool, now: UInt64) -> Afterwards {
        lastProgress = now
        guard phase != .closed else { return .close }
        guard !bodyOpen, isPersistent, hasMore || !peerFinished else {
            phase = .finishing
            return mayStillSend ? .linger : .close
        }
        phase = .awaitingHead
        headBegan = nil
        return .nextRequest
    }

    /// Whether an immediate close could meet unread bytes. The kernel would then reset the connection, and the peer
    /// could lose the unread part of the response (RFC 9112 section 9.6).
    private var mayStillSend: Bool { !peerFinished && (bodyOpen || peerGoesOn) }

    /// Handles the completion of all writes. Returns whether to half-close and discard further input instead of
    /// closing.
    mutating func responseSent(now: UInt64) -> Bool {
        guard phase == .finishing, mayStillSend else {
            phase = .closed
            return false
        }
        phase = .lingering
        lastProgress = now
        return true
    }

    /// Handles the end of the peer's sending direction. `holdsBytes` states whether unconsumed bytes are buffered.
    mutating func peerFinishedSending(holdsBytes: Bool) -> PeerFinished {
        peerFinished = true
        switch phase {
        case .awaitingHead:
            // Complete requests may be buffered until the client has read earlier responses.
            guard !holdsBytes || headBegan != nil else { return .respondThenClose }
            phase = .finishing
            return .closeOnceSent
        case .opening, .lingering, .closed:
            phase = .closed
            return .close
        case .finishing: return .respondThenClose
        case .exchanging where isTunnel: return .passOn
        case .deciding, .exchanging: return bodyOpen && !holdsBytes ? .abort : .respondThenClose
        }
    }

    /// Ends the connection: written data is sent, then it closes.
    mutating func finish() {
        phase = .finishing
        peerGoesOn = false
    }

    mutating func close() {
        phase = .closed
    }

    /// Returns the timeout that has expired at `now`. `bodyBytes` is the number of received bytes of the request's
    /// body.
    func expiry(now: UInt64, limits: ConnectionLimits, bodyBytes: UInt64) -> Expiry {
        if let closesBy, now >= closesBy, phase != .closed { return .close }
        switch phase {
        case .opening:
            return since(lastProgress, now) > limits.handshakeTimeout ? .close : .none
        case .awaitingHead:
            if let headBegan { return since(headBegan, now) > limits.headTimeout ? .requestTimeout : .none }
            return since(lastProgress, now) > limits.idleTimeout ? .close : .none
        case .deciding, .exchanging:
            return requestExpiry(now: now, limits: limits, bodyBytes: bodyBytes)
        case .finishing:
            return since(lastProgress, now) > limits.idleTimeout ? .close : .none
        case .lingering:
            return since(lastProgress, now) > ConnectionLimits.lingerTimeout ? .close : .none
        case .closed:
            return .none
        }
    }

    private func requestExpiry(now: UInt64, limits: ConnectionLimits, bodyBytes: UInt64) -> Expiry {
        guard !isStream else { return .none }
        if let total = limits.requestTimeout, since(requestBegan, now) > total {
            return responseStarted ? .abort : .totalTimeout
        }
        // Before the response begins, a complete request waits for the upstream, which has a timeout of its own.
        guard phase == .exchanging, bodyOpen || responseStarted else { return .none }
        let isLate = since(lastProgress, now) > limits.idleTimeout
        guard isLate || isTooSlow(now: now, limits: limits, bodyBytes: bodyBytes) else { return .none }
        return responseStarted ? .abort : .requestTimeout
    }

    /// Returns whether the body arrives so slowly that it would block its upstream connection.
    private func isTooSlow(now: UInt64, limits: ConnectionLimits, bodyBytes: UInt64) -> Bool {
        guard bodyOpen, !isBodyHeld, limits.bodyRate > 0 else { return false }
        let elapsed = since(bodyBegan, now)
        guard elapsed > ConnectionLimits.bodyGrace else { return false }
        return bodyBytes / limits.bodyRate < (elapsed - ConnectionLimits.bodyGrace) / 1_000_000_000
    }

    private func since(_ start: UInt64, _ now: UInt64) -> UInt64 {
        now > start ? now - start : 0
    }
}
