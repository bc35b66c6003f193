import HTTPWire

/// One request and its answer on one upstream connection, as a pure value: what is owed in which direction.
struct UpstreamExchange: Sendable {
    /// Where the answer stands.
    enum Answer: Equatable, Sendable {
        case awaitingHead
        case body
        case complete
    }

    /// How the answer's body is told to the client.
    enum Delivery: Equatable, Sendable {
        /// No body, or one whose length is in the head: bytes are passed as they are.
        case asIs
        case chunked
        /// For HTTP/1.0, which knows no chunks: the end of the connection is the end of the body.
        case untilClose
    }

    /// What the end of the upstream's connection means.
    enum Ending: Equatable, Sendable {
        /// The answer was complete, or complete by this end.
        case complete
        /// Nothing of an answer came, on a connection that may have been closed before the request reached it.
        case sendAgain
        /// Nothing of an answer came.
        case unanswered
        /// A part of the answer's head came.
        case brokenHead
        /// A part of the answer's body came.
        case brokenBody
    }

    private(set) var answer: Answer = .awaitingHead
    /// The request has not been sent to its end.
    private(set) var requestOpen = true
    private(set) var sentBody = false
    private var gotBytes = false
    private var hasFailed = false
    private var endsWithConnection = false
    private var reusableByAnswer = false
    /// After a 101: bytes both ways.
    private(set) var isTunnel = false
    /// The upstream's direction of a tunnel has ended.
    private var outputEnded = false
    /// When the upstream was last given something of the request.
    private(set) var lastProgress: UInt64
    /// The connection has served before, the request's method is idempotent (RFC 9110 section 9.2.2), and this is its first attempt.
    let maySendAgain: Bool
    private let isIdempotent: Bool
    private var passedInterim = false
    private var interimCount = 0
    private var isWithdrawn = false

    /// The most interim (1xx) responses before the answer.
    static let maximumInterim = 16

    init(maySendAgain: Bool, isIdempotent: Bool = false, now: UInt64) {
        self.maySendAgain = maySendAgain
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

    /// An interim response came.
    ///
    /// - Returns: whether there may be so many.
    mutating func interimCame() -> Bool {
        interimCount += 1
        return interimCount <= Self.maximumInterim
    }

    /// An interim answer was passed on to the client.
    mutating func interimPassed() { passedInterim = true }

    /// Whether another server may be asked: the method is idempotent, none of the body was sent, nothing of the answer passed on.
    var maySendElsewhere: Bool { isIdempotent && !sentBody && !passedInterim && answer == .awaitingHead }

    mutating func bytesCame() { gotBytes = true }

    /// The request was never sent: another connection may have it, whatever its method (RFC 9110 section 9.2.2).
    mutating func withdraw() { isWithdrawn = true }

    /// The connection ended by an error, not by the upstream's close.
    mutating func connectionFailed() { hasFailed = true }

    /// The final head of the answer came.
    mutating func headCame(framing: BodyFraming, keepAlive: Bool) {
        reusableByAnswer = keepAlive
        switch framing {
        case .none: answer = .complete
        case .length(let length): answer = length == 0 ? .complete : .body
        case .chunked: answer = .body
        case .untilClose:
            answer = .body
            endsWithConnection = true
        }
    }

    mutating func bodyEnded() { answer = .complete }

    /// The upstream has switched protocols: both directions go on until they end.
    mutating func tunnelBegan() {
        isTunnel = true
        requestOpen = true
        answer = .body
        endsWithConnection = true
        reusableByAnswer = false
    }

    /// The upstream's direction of the tunnel has ended.
    ///
    /// - Returns: whether both have.
    mutating func tunnelOutputEnded() -> Bool {
        outputEnded = true
        return !requestOpen
    }

    /// The client's direction of the tunnel has ended.
    ///
    /// - Returns: whether both have.
    mutating func tunnelInputEnded() -> Bool {
        requestOpen = false
        return outputEnded
    }

    /// Whether the connection may serve another request: both directions ended, and the upstream keeps it.
    ///
    /// An upstream that answers before it has read the body owes reading it: such a connection is not used again.
    var isReusable: Bool { answer == .complete && !requestOpen && reusableByAnswer && !endsWithConnection }

    func ending() -> Ending {
        switch answer {
        case .complete: return .complete
        case .body: return endsWithConnection && !hasFailed ? .complete : .brokenBody
        case .awaitingHead:
            if gotBytes { return .brokenHead }
            return (maySendAgain || isWithdrawn) && !sentBody ? .sendAgain : .unanswered
        }
    }

    /// Whether the upstream has had the whole request for longer than it may take to begin its answer.
    func answerIsLate(now: UInt64, limit: UInt64) -> Bool {
        answer == .awaitingHead && !requestOpen && now > lastProgress && now - lastProgress > limit
    }
}
