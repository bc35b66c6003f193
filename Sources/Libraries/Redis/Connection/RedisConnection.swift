internal import NIOCore

/// A receiver of replies. It is a class so that sending allocates nothing, and is retained until its last call.
///
/// A single command causes exactly one call. A pipeline of n commands causes n replies in order, or fewer replies and
/// then one failure. Calls happen on the link's event loop, after `send` has returned.
public protocol RedisReceiver: AnyObject {
    /// Delivers a reply, which is valid only during this call. It may be an error of the server.
    func received(_ reply: RedisReply, ticket: UInt64)
    /// Reports that no further reply will arrive.
    func failed(_ failure: RedisFailure, ticket: UInt64)
}

/// The creator of a connection, which receives its events.
protocol RedisConnectionOwner: AnyObject {
    func connection(_ connection: RedisConnection, opened finding: Handshake.Finding)
    /// Reports the reply to `authenticate`.
    func connection(_ connection: RedisConnection, renewedCredentials isAccepted: Bool)
    /// Called once, before the pending receivers fail.
    func connection(_ connection: RedisConnection, closed problem: RedisProblem)
}

/// The channel handler of one connection. It moves bytes between the channel, the reader and the state machine.
///
/// Commands sent in one tick of the event loop are written together.
final class RedisConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    struct Waiter {
        let receiver: any RedisReceiver
        let ticket: UInt64
    }

    /// The maximum capacity of a buffer that is kept for reuse, in bytes.
    private static let keptCapacity = 64 * 1024

    let endpoint: RedisEndpoint
    private let handshake: Handshake
    private let clock: @Sendable () -> UInt64
    private let maximumUnsentSize: Int
    private let isEncrypted: Bool
    /// Whether a redirect of a cluster concerns only its command.
    private let followsRedirects: Bool
    private let reader: ReplyReader
    private var machine: ConnectionMachine<Waiter>
    /// `nil` during the handshake, which checks its replies itself.
    private var alignment: ReplyAlignment?
    private let firstMarker: UInt64
    private weak var owner: (any RedisConnectionOwner)?

    private var context: ChannelHandlerContext?
    private var unsent = ByteBuffer()
    /// Replaces `unsent` while that is written, so that neither buffer is reallocated.
    private var spare = ByteBuffer()
    private var isFlushPlanned = false
    private var isWriting = false
    private var isWritable = true
    private var isOpened = false
    private var isClosed = false
    /// The reason to close the connection after the current read.
    private var leaving: RedisProblem.Code?
    private var timer: Scheduled<Void>?
    private var timerAt = UInt64.max
    /// Stored, so that scheduling allocates nothing.
    private lazy var plannedFlush: () -> Void = { [weak self] in self?.flush() }
    private lazy var plannedWake: () throws -> Void = { [weak self] in self?.wake() }

    init(
        to endpoint: RedisEndpoint, _ handshake: Handshake, _ configuration: RedisConfiguration, role: RoleDemand,
        owner: any RedisConnectionOwner, clock: @escaping @Sendable () -> UInt64,
        firstMarker: UInt64 = .random(in: 0 ... .max)
    ) {
        self.endpoint = endpoint
        self.handshake = handshake
        self.owner = owner
        self.clock = clock
        self.firstMarker = firstMarker
        maximumUnsentSize = configuration.maximumUnsentSize
        isEncrypted = configuration.tls != nil
        followsRedirects = configuration.keyspace != nil
        reader = ReplyReader(configuration.connectionLimits)
        machine = ConnectionMachine(
            timing: .init(configuration), maximumInFlight: configuration.maximumInFlight, role: role)
    }
}

extension ConnectionMachine.Timing {
    init(_ configuration: RedisConfiguration) {
        opening = configuration.connectTimeout.nanosecondsClamped
        silenceLimit = configuration.replyTimeout.nanosecondsClamped
        heartbeat = configuration.heartbeatInterval.nanosecondsClamped
    }
}

// MARK: - Sending

extension RedisConnection {
    /// Queues a command.
    ///
    /// - Returns: The reason that the command was not queued. `nil` if it was; the receiver is then called after this
    ///   method returns.
    func send(
        _ command: RedisCommand, ticket: UInt64, timeout: UInt64, to receiver: any RedisReceiver
    ) -> RedisFailure? {
        let size = command.bytes.count + command.count * ReplyAlignment.size
        guard size <= maximumUnsentSize - unsent.readableBytes else { return .overloaded }
        let waiter = Waiter(receiver: receiver, ticket: ticket)
        switch machine.admit(waiter, replies: command.count, deadline: clock().adding(timeout)) {
        case .admitted:
            queue(command)
            armTimer()
            return nil
        case .notReady: return .notConnected(RedisProblem(.connecting, at: endpoint))
        case .overloaded: return .overloaded
        }
    }

    /// Authenticates the ready connection again. Commands before and after it are not affected.
    func authenticate(_ credentials: RedisCredentials) {
        guard machine.admitAuthentication(at: clock()) else { return }
        queue(Handshake.authentication(credentials))
        armTimer()
    }

    private func queue(_ command: RedisCommand) {
        command.forEachCommand { bytes in
            alignment?.mark(&unsent, isAsking: command.isAsking)
            unsent.writeBytes(bytes)
        }
        guard !isFlushPlanned, let context else { return }
        isFlushPlanned = true
        // Runs after all events of this tick, before the loop waits for I/O.
        context.eventLoop.assumeIsolated().execute(plannedFlush)
    }

    private func flush() {
        isFlushPlanned = false
        // A write may call this method again.
        guard !isWriting else { return }
        isWriting = true
        while isWritable, unsent.readableBytes > 0, let context { write(to: context) }
        isWriting = false
    }

    private func write(to context: ChannelHandlerContext) {
        var leaving = unsent
        unsent = spare
        spare = ByteBuffer()
        context.writeAndFlush(wrapOutboundOut(leaving), promise: nil)
        guard leaving.capacity <= Self.keptCapacity else { return }
        leaving.clear()
        spare = leaving
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        if isWritable { flush() }
    }
}

// MARK: - Reading

extension RedisConnection {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosed else { return }
        let now = clock()
        machine.receivedBytes(at: now)
        unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
            reader.feed(bytes)
            readReplies(at: now)
        }
        if let leaving { close(RedisProblem(leaving, at: endpoint)) }
    }

    private func readReplies(at now: UInt64) {
        while !isClosed {
            switch reader.next() {
            case .incomplete: return
            case .invalid(let defect): return close(RedisProblem(defect, at: endpoint))
            case .reply(let reply): deliver(reply, at: now)
            }
        }
    }

    private func deliver(_ reply: RedisReply, at now: UInt64) {
        switch alignment?.judge(reply) {
        case nil, .reply?: break
        case .marker?: return record(reply)
        case .broken?: return close(.misaligned(reply, at: endpoint))
        }
        switch machine.received(reply, at: now) {
        case .to(let waiter): waiter.receiver.received(reply, ticket: waiter.ticket)
        // The reply to a heartbeat plans the next one.
        case .discard: armTimer()
        case .authenticated(let isAccepted): owner?.connection(self, renewedCredentials: isAccepted)
        case .opened(let finding):
            if case .usable(let carrier) = finding { alignment = ReplyAlignment(carrier, first: firstMarker) }
            armTimer()
            owner?.connection(self, opened: finding)
        case .close(let code, let detail): close(RedisProblem(code, at: endpoint, detail: detail))
        }
        // The reply is valid until the next read.
        record(reply)
    }

    /// Records an error after which the connection has to be closed.
    private func record(_ reply: RedisReply) {
        guard reply.kind == .error, leaving == nil, let code = RedisProblem.Code(leavingFor: reply) else { return }
        if code != .cluster || !followsRedirects { leaving = code }
    }
}

extension RedisProblem {
    /// A reply in place of the expected marker, or a marker in place of a reply.
    fileprivate static func misaligned(_ reply: RedisReply, at endpoint: RedisEndpoint) -> RedisProblem {
        reply.kind == .error && reply.begins(with: "NOPERM")
            ? RedisProblem(.noPermission, at: endpoint, detail: "ECHO or PING")
            : RedisProblem(.misaligned, at: endpoint)
    }

    fileprivate init(_ defect: ReplyDefect, at endpoint: RedisEndpoint) {
        switch defect {
        case .notRESP, .resp3: self.init(.notRedis, at: endpoint)
        case .tooManyElements, .tooManyValues, .tooDeep, .stringTooLong, .replyTooLong, .lineTooLong, .outOfMemory:
            self.init(.replyTooLarge, at: endpoint)
        }
    }
}

// MARK: - Time

extension RedisConnection {
    /// Schedules one timer for all deadlines. The timer only moves to an earlier time; if it fires too early, it is
    /// scheduled again.
    private func armTimer() {
        guard machine.wakeAt < timerAt, let context else { return }
        timer?.cancel()
        timerAt = machine.wakeAt
        let now = clock()
        let delay = TimeAmount.nanoseconds(Int64(clamping: timerAt > now ? timerAt - now : 0))
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: delay, plannedWake)
    }

    private func wake() {
        timerAt = .max
        timer = nil
        // The owner is gone, so no code can use or close the connection.
        guard owner != nil else { return close(RedisProblem(.stopped)) }
        let wake = machine.wake(at: clock())
        // The heartbeat comes first: the machine has queued it, and a receiver may send commands.
        if wake.action == .sendHeartbeat { queue(machine.heartbeat) }
        for waiter in wake.expired { waiter.receiver.failed(.timedOut, ticket: waiter.ticket) }
        if case .close(let code) = wake.action { close(RedisProblem(code, at: endpoint)) }
        if !isClosed { armTimer() }
    }
}

// MARK: - Opening and closing

extension RedisConnection {
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { open() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        close(RedisProblem(.closedByServer, at: endpoint))
    }

    func channelActive(context: ChannelHandlerContext) {
        open()
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        close(RedisProblem(.closedByServer, at: endpoint))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        close(RedisProblem(error, at: endpoint, isEncrypted: isEncrypted))
    }

    private func open() {
        guard !isOpened, !isClosed else { return }
        isOpened = true
        machine.open(handshake, at: clock())
        queue(handshake.command)
        armTimer()
    }

    /// Closes the connection unless it is closed.
    func close(_ problem: RedisProblem) {
        guard !isClosed else { return }
        isClosed = true
        let context = context
        self.context = nil
        timer?.cancel()
        let waiting = machine.close()
        owner?.connection(self, closed: problem)
        let failure = problem.code == .stopped ? RedisFailure.closed : .connectionLost(problem)
        for waiter in waiting { waiter.receiver.failed(failure, ticket: waiter.ticket) }
        context?.close(promise: nil)
    }
}
