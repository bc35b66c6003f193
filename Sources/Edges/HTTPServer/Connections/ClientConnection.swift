import GatewayCore

/// One client connection as a pure value: events in, what to do next out.
///
/// Times are monotonic nanoseconds. The channel handler beside it does the I/O and nothing else.
package struct ClientConnection: Sendable {
    /// Where the connection stands between two events.
    package enum Phase: Equatable, Sendable {
        /// The TLS handshake, or the PROXY header, is under way.
        case opening
        /// Between requests, or with a part of a head received.
        case awaitingHead
        /// A head was read; its request is being decided or waits for an upstream connection.
        case deciding
        /// A responder takes the request's body and gives the answer.
        case exchanging
        /// The last answer was given and is still being sent; what arrives is discarded.
        case finishing
        /// The last answer was sent; what still arrives is discarded until the peer closes.
        case lingering
        case closed
    }

    /// What the handler does with bytes that arrive.
    enum Arrival: Equatable, Sendable {
        case readHead
        case relayBody
        case hold
        case discard
    }

    /// What follows the end of an answer.
    enum Afterwards: Equatable, Sendable {
        case nextRequest
        /// Close once everything is sent.
        case close
        /// The peer may still be sending what is not read: once everything is sent, half-close, discard, then close.
        case linger
    }

    /// What follows the end of the peer's sending direction.
    enum PeerFinished: Equatable, Sendable {
        case close
        /// Nothing is being served: close once everything is sent.
        case closeOnceSent
        /// What is owed is still given: the request is complete, or its rest may be held here, or its answer is being sent.
        case answerThenClose
        /// The end of a tunnel's one direction, to be passed on behind what is held.
        case passOn
        /// The request's body was cut short.
        case abort
    }

    /// What has run out of time.
    enum Expiry: Equatable, Sendable {
        case none
        /// Nothing is owed to the peer: close.
        case close
        /// No answer has begun: tell the peer, then close.
        case requestTimeout
        /// The whole request took longer than `request_timeout` and no answer has begun.
        case totalTimeout
        /// An answer is under way: it cannot be finished truthfully.
        case abort
    }

    package private(set) var phase: Phase = .awaitingHead
    /// The request's body has not been received to its end.
    private(set) var bodyOpen = false
    package private(set) var responseStarted = false
    /// The connection may carry another request.
    private(set) var isPersistent = true
    private(set) var peerFinished = false
    /// Bytes go both ways, and none of them are HTTP.
    private(set) var isTunnel = false
    /// How long the answer may go on is somebody else's to say.
    private var isStream = false
    /// Until when an ended stream's rest may be sent.
    private var closesBy: UInt64?
    /// The peer counts on further requests, or on a tunnel: what it sends after this one may be under way.
    private var peerGoesOn = false
    private var headBegan: UInt64?
    private var requestBegan: UInt64 = 0
    private(set) var lastProgress: UInt64
    /// When a responder began to take the body, moved on by the time in which it took none.
    private var bodyBegan: UInt64 = 0
    /// Since when the responder takes no more of the body; nil: it does.
    private var heldSince: UInt64?

    /// - Parameter opens: whether a handshake or a PROXY header comes first.
    init(now: UInt64, opens: Bool = false) {
        lastProgress = now
        if opens { phase = .opening }
    }

    /// Handshake and PROXY header are complete: requests may come.
    mutating func opened(now: UInt64) {
        guard phase == .opening else { return }
        phase = .awaitingHead
        lastProgress = now
    }

    /// Whether a request is being served.
    package var isServing: Bool { phase == .deciding || phase == .exchanging }

    /// Whether the connection waits for a request of which no byte has come.
    var isIdle: Bool { phase == .awaitingHead && headBegan == nil }

    /// Whether a part of a head is here.
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

    /// A part of a head is here.
    mutating func headIsPartial(now: UInt64) {
        if headBegan == nil { headBegan = now }
    }

    /// A complete head was read.
    ///
    /// - Parameter asksForTunnel: whether no request may follow, though the peer did not say so.
    mutating func headCompleted(persistent: Bool, hasBody: Bool, asksForTunnel: Bool = false, now: UInt64) {
        phase = .deciding
        isPersistent = persistent && !asksForTunnel
        peerGoesOn = persistent || asksForTunnel
        bodyOpen = hasBody
        responseStarted = false
        isStream = false
        requestBegan = headBegan ?? now
        headBegan = nil
        lastProgress = now
    }

    /// A responder was found for the request.
    mutating func exchangeBegan(now: UInt64) {
        guard phase == .deciding else { return }
        phase = .exchanging
        lastProgress = now
        bodyBegan = now
        heldSince = nil
    }

    /// The request goes back to be decided again, because its first upstream connection was gone.
    mutating func exchangeReturned() {
        guard phase == .exchanging, !responseStarted else { return }
        phase = .deciding
    }

    /// The request that is being decided asks for a tunnel: no other may follow it, tunnel or not, since what comes behind it may be meant for
    /// one.
    mutating func tunnelAsked() {
        isPersistent = false
        peerGoesOn = true
    }

    /// The answer that has begun may go on without end.
    mutating func streamBegan() {
        isStream = true
    }

    /// The protocol was switched: what is held and what comes is passed on until both directions have ended.
    mutating func tunnelBegan(now: UInt64) {
        guard phase == .exchanging, responseStarted, !bodyOpen else { return }
        isTunnel = true
        isPersistent = false
        peerGoesOn = true
        bodyOpen = true
        heldSince = nil
        lastProgress = now
    }

    /// A stream ends that could go on: what was written is sent, but not for long, then the connection closes.
    mutating func streamEnds(now: UInt64) {
        phase = .finishing
        isPersistent = false
        closesBy = now &+ StreamBounds.farewell
    }

    package mutating func progress(now: UInt64) {
        lastProgress = now
    }

    /// The responder takes no more of the body for now: what arrives meanwhile is no progress, and the time not the client's.
    mutating func bodyHeld(now: UInt64) {
        if heldSince == nil { heldSince = now }
    }

    /// The responder takes the body again.
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

    /// - Parameter hasMore: whether bytes of a following request are here already.
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

    /// Whether closing at once could meet bytes that were not read: the kernel would then reset the connection, and take from the peer
    /// what it has not read of the answer (RFC 9112 section 9.6).
    private var mayStillSend: Bool { !peerFinished && (bodyOpen || peerGoesOn) }

    /// Everything that was written is with the kernel.
    ///
    /// - Returns: whether to half-close and discard what still arrives, instead of closing.
    mutating func answerSent(now: UInt64) -> Bool {
        guard phase == .finishing, mayStillSend else {
            phase = .closed
            return false
        }
        phase = .lingering
        lastProgress = now
        return true
    }

    /// - Parameter holdsBytes: whether bytes are here that were not consumed yet.
    mutating func peerFinishedSending(holdsBytes: Bool) -> PeerFinished {
        peerFinished = true
        switch phase {
        case .awaitingHead:
            // Requests that came whole may be held until the client has read earlier answers.
            guard !holdsBytes || headBegan != nil else { return .answerThenClose }
            phase = .finishing
            return .closeOnceSent
        case .opening, .lingering, .closed:
            phase = .closed
            return .close
        case .finishing: return .answerThenClose
        case .exchanging where isTunnel: return .passOn
        case .deciding, .exchanging: return bodyOpen && !holdsBytes ? .abort : .answerThenClose
        }
    }

    /// Nothing more is owed: what was written is sent, then the connection closes.
    mutating func finish() {
        phase = .finishing
        peerGoesOn = false
    }

    mutating func close() {
        phase = .closed
    }

    /// What has run out of time at `now`.
    ///
    /// - Parameter bodyBytes: how much of the request's body has come.
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
        // Before the answer begins, a complete request waits for the upstream, which has its own limit.
        guard phase == .exchanging, bodyOpen || responseStarted else { return .none }
        let isLate = since(lastProgress, now) > limits.idleTimeout
        guard isLate || isTooSlow(now: now, limits: limits, bodyBytes: bodyBytes) else { return .none }
        return responseStarted ? .abort : .requestTimeout
    }

    /// Whether the body comes so slowly that it would keep its upstream connection from others for nothing.
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
