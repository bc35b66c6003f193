internal import NIOCore

/// Who is told what became of a command. A class, so that asking allocates nothing; it is kept until it was told.
///
/// A command of one part gets exactly one call. A pipeline of n gets n replies in their order, or fewer and then one failure. All come on
/// the link's loop, and never before `send` has returned.
public protocol RedisReceiver: AnyObject {
    /// A reply, valid only during this call. The server's refusal is one.
    func received(_ reply: RedisReply, ticket: UInt64)
    /// No reply, or no further one, will come.
    func failed(_ failure: RedisFailure, ticket: UInt64)
}

/// Who made a connection and is told what becomes of it.
protocol RedisConnectionOwner: AnyObject {
    func connection(_ connection: RedisConnection, opened finding: Handshake.Finding)
    /// Told once, and before those who wait for replies are.
    func connection(_ connection: RedisConnection, closed problem: RedisProblem)
}

/// One connection's handler: moves bytes between the channel, the reader and the machine, and decides nothing.
///
/// What is sent during one tick of the loop goes out in one write.
final class RedisConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    struct Waiter {
        let receiver: any RedisReceiver
        let ticket: UInt64
    }

    /// Replies to the largest commands may leave a buffer behind; a larger one than this is not kept.
    private static let keptCapacity = 64 * 1024

    let endpoint: RedisEndpoint
    private let handshake: Handshake
    private let clock: @Sendable () -> UInt64
    private let maximumUnsentSize: Int
    private let isEncrypted: Bool
    private let reader: ReplyReader
    private var machine: ConnectionMachine<Waiter>
    /// Nil until the connection is usable: until then there are only the handshake's commands, which are judged by themselves.
    private var alignment: ReplyAlignment?
    private let firstMarker: UInt64
    private weak var owner: (any RedisConnectionOwner)?

    private var context: ChannelHandlerContext?
    private var unsent = ByteBuffer()
    /// Takes the place of `unsent` while that is being written, so that neither is allocated anew.
    private var spare = ByteBuffer()
    private var isFlushPlanned = false
    private var isWriting = false
    private var isWritable = true
    private var isOpened = false
    private var isClosed = false
    /// Why the connection is to end once what was read is dealt with.
    private var leaving: RedisProblem.Code?
    private var timer: Scheduled<Void>?
    private var timerAt = UInt64.max
    /// Kept, so that planning one allocates nothing.
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
        reader = ReplyReader(configuration.replyLimits)
        machine = ConnectionMachine(
            timing: .init(configuration), maximumInFlight: configuration.maximumInFlight, role: role)
    }
}

extension ConnectionMachine.Timing {
    init(_ configuration: RedisConfiguration) {
        opening = configuration.connectTimeout.nanosecondsClamped
        patience = configuration.replyTimeout.nanosecondsClamped
        heartbeat = configuration.heartbeatInterval.nanosecondsClamped
    }
}

// MARK: - Sending

extension RedisConnection {
    /// - Returns: why the command was not sent; nil when it was. Then the receiver is called, later than this returns.
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

    private func queue(_ command: RedisCommand) {
        command.forEachCommand { bytes in
            alignment?.mark(&unsent)
            unsent.writeBytes(bytes)
        }
        guard !isFlushPlanned, let context else { return }
        isFlushPlanned = true
        // After all events of this tick, and before the loop waits for others.
        context.eventLoop.assumeIsolated().execute(plannedFlush)
    }

    private func flush() {
        isFlushPlanned = false
        // Writing may come back here before it returns.
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
        machine.heard(at: now)
        unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
            reader.give(bytes)
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
        case .marker?: return note(reply)
        case .broken?: return close(.misaligned(reply, at: endpoint))
        }
        switch machine.received(reply, at: now) {
        case .to(let waiter): waiter.receiver.received(reply, ticket: waiter.ticket)
        case .nobody: break
        case .opened(let finding):
            if case .usable(let carrier) = finding { alignment = ReplyAlignment(carrier, first: firstMarker) }
            armTimer()
            owner?.connection(self, opened: finding)
        case .close(let code, let detail): close(RedisProblem(code, at: endpoint, detail: detail))
        }
        // The reply stands until the reader reads on.
        note(reply)
    }

    /// An error may say that the server is to be left.
    private func note(_ reply: RedisReply) {
        if reply.kind == .error, leaving == nil { leaving = RedisProblem.Code(leavingFor: reply) }
    }
}

extension RedisProblem {
    /// Another reply came than the marker of a command, or a marker in place of a reply.
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
    /// One timer for all that waits. It is only ever moved to an earlier time; when it was too early, it is set anew.
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
        // Nobody is there to use it, or to end it.
        guard owner != nil else { return close(RedisProblem(.stopped)) }
        let wake = machine.wake(at: clock())
        // First, for its place in the line is taken, and who is told may send something.
        if wake.action == .sendHeartbeat { queue(machine.heartbeat) }
        for waiter in wake.expired { waiter.receiver.failed(.timedOut, ticket: waiter.ticket) }
        if case .close(let code) = wake.action { close(RedisProblem(code, at: endpoint)) }
        if !isClosed { armTimer() }
    }
}

// MARK: - Beginning and end

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

    /// Ends the connection for this reason, unless it has ended.
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
