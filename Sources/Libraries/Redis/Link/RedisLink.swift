public import Logging
public import NIOCore
internal import NIOPosix

/// Who is told when a link can be used and when no more. Called on the link's loop.
public protocol RedisLinkObserver: AnyObject {
    /// Commands may be sent from now on.
    func linkIsReady(_ link: RedisLink)
    /// No more commands can be sent. Who waits for replies is told after this. Not told by `stop`.
    func linkIsLost(_ link: RedisLink, why problem: RedisProblem)
}

/// One pipelined connection of one event loop, kept alive.
///
/// It connects, introduces itself, and connects again when the connection is lost, after a while that grows; with sentinels it asks them
/// each time where the master is, and uses no server that does not itself say that it is the master. Commands that are sent while there is
/// no connection fail at once: nothing waits for one.
///
/// It belongs to its loop: everything but `sharedStatus` is used there. It is to be stopped before it is released.
public final class RedisLink {
    private let configuration: RedisConfiguration
    private let loop: any EventLoop
    private let logger: Logger
    private let clock: @Sendable () -> UInt64
    private var machine: LinkMachine<SystemRandomNumberGenerator>
    /// The connection that is being opened or is ready.
    private var connection: RedisConnection?
    /// The same when it is ready.
    private var ready: RedisConnection?
    /// Counts attempts, so that one which was given up is known when it comes to something.
    private var attempt = 0
    private var timer: Scheduled<Void>?
    private var problem = RedisProblem(.notStarted)
    /// What was logged since there was a connection, so that it is not logged at each attempt.
    private var loggedCodes: Set<RedisProblem.Code> = []

    /// Who is told when the link can be used.
    public weak var observer: (any RedisLinkObserver)?
    /// The link's status for any thread.
    public let sharedStatus = SharedRedisLinkStatus()

    /// Does nothing before `start`.
    ///
    /// - Parameter clock: nanoseconds of a monotonic clock.
    public init(
        _ configuration: RedisConfiguration, loop: any EventLoop, logger: Logger,
        clock: @escaping @Sendable () -> UInt64 = { NIODeadline.now().uptimeNanoseconds }
    ) {
        self.configuration = configuration
        self.loop = loop
        self.logger = logger
        self.clock = clock
        machine = LinkMachine(
            configuration.location, backoff: configuration.backoff, random: SystemRandomNumberGenerator())
    }

    /// Whether commands may be sent.
    public var isReady: Bool { ready != nil }

    /// How it is doing.
    public var status: RedisLinkStatus { sharedStatus.current }

    /// Begins to connect.
    public func start() {
        loop.preconditionInEventLoop()
        problem = RedisProblem(.connecting)
        perform(machine.start())
    }

    /// Ends the connection. Who waits for replies is told `.closed`.
    public func stop() {
        loop.preconditionInEventLoop()
        machine.stop()
        attempt += 1
        timer?.cancel()
        timer = nil
        problem = RedisProblem(.stopped)
        report(.stopped, at: nil)
        let connection = self.connection
        self.connection = nil
        ready = nil
        connection?.close(problem)
    }

    /// Sends a command together with all others of this tick of the loop.
    ///
    /// - Parameters:
    ///   - ticket: given back with what comes of it.
    ///   - timeout: in nanoseconds from now.
    ///   - receiver: receives the result, always after this returned: on a later turn of the loop.
    public func send(_ command: RedisCommand, ticket: UInt64, timeout: UInt64, to receiver: any RedisReceiver) {
        let failure =
            ready.map { $0.send(command, ticket: ticket, timeout: timeout, to: receiver) } ?? .notConnected(problem)
        if let failure { later { receiver.failed(failure, ticket: ticket) } }
    }

    /// Delivers a result on the next turn of the loop. Within the call that asked, the receiver could begin to decide a request while the caller is
    /// still deciding another one.
    public func later(_ deliver: @escaping () -> Void) {
        loop.assumeIsolated().execute(deliver)
    }
}

// MARK: - Connecting

extension RedisLink {
    private func perform(_ action: LinkMachine<SystemRandomNumberGenerator>.Action) {
        switch action {
        case .none: break
        case .connect(let target): connect(to: target)
        case .wait(let nanoseconds): wait(nanoseconds)
        }
    }

    private func wait(_ nanoseconds: UInt64) {
        report(.waiting, at: nil)
        timer = loop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(clamping: nanoseconds))) { [weak self] in
            guard let self else { return }
            timer = nil
            perform(machine.waited())
        }
    }

    private func connect(to target: LinkMachine<SystemRandomNumberGenerator>.Target) {
        attempt += 1
        let attempt = self.attempt
        let endpoint = target.endpoint
        report(.connecting, at: endpoint)
        guard endpoint.hasValidPort else {
            return fail(RedisProblem(.unreachable, at: endpoint, detail: "no such port"))
        }
        let made = ClientBootstrap(group: loop)
            .connectTimeout(.nanoseconds(Int64(clamping: configuration.connectTimeout.nanosecondsClamped)))
            .connect(host: endpoint.host, port: endpoint.port)
        made.assumeIsolated().whenComplete { [weak self] result in
            guard let self, attempt == self.attempt else { return Self.discard(result) }
            switch result {
            case .success(let channel): open(channel, to: target)
            case .failure(let error): fail(RedisProblem(error, at: endpoint, isEncrypted: false))
            }
        }
    }

    private static func discard(_ result: Result<any Channel, any Error>) {
        if case .success(let channel) = result { channel.close(promise: nil) }
    }

    private func open(_ channel: any Channel, to target: LinkMachine<SystemRandomNumberGenerator>.Target) {
        let connection = makeConnection(to: target)
        self.connection = connection
        do {
            if let tls = configuration.tls {
                try channel.pipeline.syncOperations.addHandler(tls.makeHandler(to: target.endpoint.host))
            }
            try channel.pipeline.syncOperations.addHandler(connection)
            // Nobody else would tell.
            if !channel.isActive { connection.close(RedisProblem(.closedByServer, at: target.endpoint)) }
        } catch {
            channel.close(promise: nil)
            connection.close(RedisProblem(error, at: target.endpoint, isEncrypted: configuration.tls != nil))
        }
    }

    private func makeConnection(to target: LinkMachine<SystemRandomNumberGenerator>.Target) -> RedisConnection {
        let handshake: Handshake =
            switch target {
            case .server: .server(configuration, role: role)
            case .sentinel(_, let master): .sentinel(configuration, master: master)
            }
        return RedisConnection(
            to: target.endpoint, handshake, configuration, role: role, owner: self, clock: clock
        )
    }

    private var role: RoleDemand {
        machine.usesSentinels ? .master : configuration.refusesCopies ? .noCopy : .any
    }

    private func fail(_ problem: RedisProblem) {
        self.problem = problem
        log(problem)
        perform(machine.failed(at: clock()))
    }
}

// MARK: - What becomes of connections

extension RedisLink: RedisConnectionOwner {
    func connection(_ connection: RedisConnection, opened finding: Handshake.Finding) {
        guard connection === self.connection else { return }
        let action = machine.opened(finding, at: clock())
        guard case .none = action else {
            self.connection = nil
            connection.close(RedisProblem(.stopped))
            return perform(action)
        }
        ready = connection
        report(.ready, at: connection.endpoint)
        loggedCodes = []
        logger.info("connected to Redis", metadata: ["redis.endpoint": "\(connection.endpoint)"])
        observer?.linkIsReady(self)
    }

    func connection(_ connection: RedisConnection, closed problem: RedisProblem) {
        guard connection === self.connection else { return }
        let wasReady = ready != nil
        self.connection = nil
        ready = nil
        fail(problem)
        if wasReady { observer?.linkIsLost(self, why: problem) }
    }
}

// MARK: - Telling

extension RedisLink {
    private func report(_ state: RedisLinkStatus.State, at endpoint: RedisEndpoint?) {
        let now = clock()
        sharedStatus.update { status in
            if (status.state == .ready) != (state == .ready) { status.since = now }
            status.state = state
            if let endpoint { status.endpoint = endpoint }
            status.failures = machine.failures
            status.problem = state == .ready ? nil : problem
        }
    }

    private func log(_ problem: RedisProblem) {
        let level: Logger.Level = loggedCodes.insert(problem.code).inserted ? .warning : .debug
        logger.log(
            level: level, "no connection to Redis",
            metadata: ["redis.problem": "\(problem.code.rawValue)", "redis.explanation": "\(problem)"])
    }
}
