public import Logging
public import NIOCore
internal import NIOPosix

/// An observer of the state of a link. Its methods are called on the link's event loop.
public protocol RedisLinkObserver: AnyObject {
    /// Called when commands can be sent.
    func linkIsReady(_ link: RedisLink)
    /// Called when no more commands can be sent, before pending commands fail. `stop` does not cause a call.
    func linkIsLost(_ link: RedisLink, why problem: RedisProblem)
}

/// A persistent, pipelined connection of one event loop.
///
/// A lost connection is reopened with a growing delay. With sentinels, each attempt looks up the master's address and
/// rejects a server that does not report the role of master. In a cluster, nodes report the master of the slot, and a
/// redirected command is sent again until its timeout. Links with a common `MasterAgreement` use one server. Commands
/// fail at once while there is no connection.
///
/// All members except `sharedStatus` belong to the event loop. The link must be stopped before it is released.
public final class RedisLink {
    let configuration: RedisConfiguration
    private let loop: any EventLoop
    let logger: Logger
    private let clock: @Sendable () -> UInt64
    private(set) var machine: LinkMachine<SystemRandomNumberGenerator>
    /// The connection that is opening or ready.
    private var connection: RedisConnection?
    /// `connection`, if it is ready.
    private var ready: RedisConnection?
    /// The number of attempts, which identifies the result of an abandoned attempt.
    private(set) var attempt = 0
    private var timer: Scheduled<Void>?
    private(set) var problem = RedisProblem(.notStarted)
    /// The problems logged since the last connection, so that each is a warning once.
    var loggedCodes: Set<RedisProblem.Code> = []
    /// The number of this link in the agreement of all links.
    private var membership: UInt64?
    /// The number of this link in the credentials that change.
    private var subscription: UInt64?
    /// The credentials of the connection, if they change.
    private var usedCredentials: RedisCredentials?

    /// The earlier connection of a slot that was moved, until its last replies.
    private var draining: RedisConnection?
    /// The link to the next node of a slot that is being moved.
    private(set) lazy var asking = AskingLink(configuration, loop: loop, logger: logger, clock: clock)

    /// The observer of the link's state.
    public weak var observer: (any RedisLinkObserver)?
    /// The status, readable from any thread.
    public let sharedStatus = SharedRedisLinkStatus()

    /// Creates a link. It does nothing before `start`.
    ///
    /// - Parameter clock: Nanoseconds of a monotonic clock.
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

    /// Whether commands can be sent.
    public var isReady: Bool { ready != nil }

    /// The status of the link.
    public var status: RedisLinkStatus { sharedStatus.current }

    /// Starts connecting.
    public func start() {
        loop.preconditionInEventLoop()
        problem = RedisProblem(.connecting)
        join()
        perform(machine.start())
    }

    private func join() {
        let bound = NIOLoopBound(WeakLink(link: self), eventLoop: loop)
        if membership == nil {
            membership = configuration.agreement?.join { [loop] order in
                loop.execute { bound.value.link?.follow(order) }
            }
        }
        if subscription == nil {
            subscription = configuration.renewal?.join { [loop] in
                loop.execute { bound.value.link?.authenticate() }
            }
        }
    }

    private struct WeakLink {
        weak var link: RedisLink?
    }

    /// Closes the connection. Pending commands fail with `.closed`.
    public func stop() {
        loop.preconditionInEventLoop()
        machine.stop()
        if let membership { configuration.agreement?.leave(membership) }
        if let subscription { configuration.renewal?.leave(subscription) }
        (membership, subscription) = (nil, nil)
        attempt += 1
        timer?.cancel()
        timer = nil
        problem = RedisProblem(.stopped)
        report(.stopped, at: nil)
        let connections = [connection, draining]
        (connection, ready, draining) = (nil, nil, nil)
        if configuration.keyspace != nil { asking.stop() }
        for connection in connections { connection?.close(problem) }
    }

    /// Sends a command together with all others of this tick of the event loop.
    ///
    /// - Parameters:
    ///   - ticket: A value that is passed to the receiver.
    ///   - timeout: The timeout in nanoseconds from now.
    ///   - receiver: The receiver of the result, called on a later turn of the event loop.
    public func send(_ command: RedisCommand, ticket: UInt64, timeout: UInt64, to receiver: any RedisReceiver) {
        if let keyspace = configuration.keyspace {
            let (command, end) = (command.prefixingKeys(with: keyspace.prefix), now.adding(timeout))
            if command.count == 1 {
                RedirectedCommand(command, deadline: end, ticket: ticket, to: receiver, on: self).start()
            } else {
                RedirectedPipeline(command, deadline: end, ticket: ticket, to: receiver, on: self).start()
            }
        } else if let failure = transmit(command, ticket: ticket, timeout: timeout, to: receiver) {
            later { receiver.failed(failure, ticket: ticket) }
        }
    }

    /// Sends a command as it is.
    ///
    /// - Returns: The reason that the command was not sent. `nil` if it was; the receiver is then called later.
    func transmit(
        _ command: RedisCommand, ticket: UInt64, timeout: UInt64, to receiver: any RedisReceiver
    ) -> RedisFailure? {
        guard let ready else { return .notConnected(problem) }
        return ready.send(command, ticket: ticket, timeout: timeout, to: receiver)
    }

    /// Runs a closure on the next turn of the event loop. A synchronous result could start the decision of one
    /// request during that of another.
    public func later(_ deliver: @escaping () -> Void) {
        loop.assumeIsolated().execute(deliver)
    }
}

// MARK: - Slots of a cluster

extension RedisLink {
    /// The time of the link's clock.
    var now: UInt64 { clock() }

    /// The nanoseconds until a time of the link's clock. 0 if it has passed.
    func time(until end: UInt64) -> UInt64 {
        // One reading of the clock: a later one may have passed the end.
        let now = now
        return max(end, now) - now
    }

    /// Whether the link was stopped, or not started.
    var isStopped: Bool { machine.isStopped }

    /// Whether the link looks for the next owner of its slot, which takes milliseconds.
    var isFollowingSlot: Bool { machine.isFollowingSlot }

    /// The maximum size of a reply, in bytes.
    var maximumReplySize: Int { configuration.replyLimits.size }

    /// The host of the server. Empty without one.
    var readyHost: String { ready?.endpoint.host ?? "" }

    /// Runs a closure after this many nanoseconds, on a later turn of the event loop.
    func after(_ nanoseconds: UInt64, _ body: @escaping () -> Void) {
        guard nanoseconds > 0 else { return later(body) }
        _ = loop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(clamping: nanoseconds)), body)
    }

    /// Handles a redirect.
    ///
    /// - Parameter attempt: The value of `attempt` of the connection that replied. `nil` for another link. Only the
    ///   first redirect of a connection has an effect on it.
    func handle(_ redirect: ClusterRedirect, attempt: Int?) {
        configuration.clusterActivity?.record(redirect)
        // The reply is being delivered.
        switch redirect {
        case .moved(let endpoint): later { self.followSlot(to: endpoint, from: attempt) }
        case .down: later { self.leaveServer(.clusterDown, attempt) }
        case .ask, .tryAgain: break
        }
    }

    private func followSlot(to endpoint: RedisEndpoint?, from attempt: Int?) {
        guard attempt == self.attempt, let connection = ready else { return }
        guard let endpoint, endpoint != connection.endpoint else { return leaveServer(.slotMoved, attempt) }
        configuration.agreement?.redirected(from: connection.endpoint, to: endpoint)
        problem = RedisProblem(.slotMoved, at: connection.endpoint)
        (self.connection, ready) = (nil, nil)
        drain(connection, for: problem)
        move(to: endpoint)
        observer?.linkIsLost(self, why: problem)
    }

    private func move(to endpoint: RedisEndpoint) {
        let action = machine.move(to: endpoint, at: now)
        if case .wait = action { log(problem) }
        perform(action)
    }

    /// Closes a connection whose slot was moved after its last replies: the server executed the commands before the
    /// first redirect.
    private func drain(_ connection: RedisConnection, for problem: RedisProblem) {
        draining?.close(problem)
        draining = connection
        after(configuration.replyTimeout.nanosecondsClamped) { connection.close(problem) }
    }

    private func leaveServer(_ code: RedisProblem.Code, _ attempt: Int?) {
        guard attempt == self.attempt, let ready else { return }
        ready.close(RedisProblem(code, at: ready.endpoint))
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
        if let renewal = configuration.renewal, renewal.current == nil {
            guard case .sentinel = target else {
                return fail(RedisProblem(.noCredentials, at: endpoint, detail: renewal.failure))
            }
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
            // An inactive channel sends no further events.
            if !channel.isActive { connection.close(RedisProblem(.closedByServer, at: target.endpoint)) }
        } catch {
            channel.close(promise: nil)
            connection.close(RedisProblem(error, at: target.endpoint, isEncrypted: configuration.tls != nil))
        }
    }

    private func makeConnection(to target: LinkMachine<SystemRandomNumberGenerator>.Target) -> RedisConnection {
        usedCredentials = configuration.renewal?.current
        let handshake: Handshake =
            switch target {
            case .server(let endpoint): .server(configuration, role: role, host: endpoint.host)
            case .sentinel(_, let master): .sentinel(configuration, master: master)
            case .node(let endpoint, let slot): .node(configuration, host: endpoint.host, slot: slot)
            }
        return RedisConnection(
            to: target.endpoint, handshake, configuration, role: role, owner: self, clock: clock
        )
    }

    private var role: RoleDemand {
        machine.isNamedByOthers ? .master : configuration.refusesCopies ? .noCopy : .any
    }

    private func fail(_ problem: RedisProblem) {
        self.problem = problem
        log(problem)
        perform(machine.failed(at: clock()))
    }
}

// MARK: - Connection events

extension RedisLink: RedisConnectionOwner {
    func connection(_ connection: RedisConnection, opened finding: Handshake.Finding) {
        guard connection === self.connection else { return }
        let action = machine.opened(finding, at: clock())
        if case .moved(let owner) = finding {
            configuration.agreement?.redirected(from: connection.endpoint, to: owner)
            problem = RedisProblem(.slotMoved, at: connection.endpoint)
            if case .wait = action { log(problem) }
        }
        guard case .none = action else {
            self.connection = nil
            connection.close(RedisProblem(.stopped))
            return perform(action)
        }
        if let order = membership.flatMap({ configuration.agreement?.opened($0, at: connection.endpoint) }) {
            return perform(order, instead: connection)
        }
        ready = connection
        report(.ready, at: connection.endpoint)
        loggedCodes = []
        logger.info(
            machine.isDirectory ? "connected to \(directoryName)" : "connected to Redis",
            metadata: ["redis.endpoint": "\(connection.endpoint)"])
        // They may have changed during the handshake.
        authenticate()
        observer?.linkIsReady(self)
    }

    func connection(_ connection: RedisConnection, renewedCredentials isAccepted: Bool) {
        guard connection === self.connection else { return }
        if isAccepted { return logger.debug("authenticated again to Redis") }
        logger.warning(
            "Redis rejected the renewed credentials; the connection keeps the earlier ones",
            metadata: ["redis.endpoint": "\(connection.endpoint)"])
        configuration.renewal?.reject()
    }

    /// Authenticates the connection with the current credentials, unless it already has.
    private func authenticate() {
        guard let ready, let credentials = configuration.renewal?.current, credentials != usedCredentials else {
            return
        }
        usedCredentials = credentials
        ready.authenticate(credentials)
    }

    func connection(_ connection: RedisConnection, closed problem: RedisProblem) {
        guard connection === self.connection else { return }
        let wasReady = ready != nil
        self.connection = nil
        ready = nil
        if problem.code == .wrongPassword || problem.code == .passwordRequired { configuration.renewal?.reject() }
        fail(problem)
        if wasReady { observer?.linkIsLost(self, why: problem) }
    }
}

// MARK: - Agreement

extension RedisLink {
    /// Follows the other links.
    private func follow(_ order: MasterAgreement.Order) {
        guard let ready, order != .move(to: ready.endpoint) else { return }
        perform(order, instead: ready)
    }

    private func perform(_ order: MasterAgreement.Order, instead connection: RedisConnection) {
        guard case .move(let endpoint) = order else {
            return connection.close(RedisProblem(.noQuorum, at: connection.endpoint))
        }
        let wasReady = ready != nil
        problem = RedisProblem(.anotherMaster, at: connection.endpoint)
        (self.connection, ready) = (nil, nil)
        move(to: endpoint)
        if wasReady { observer?.linkIsLost(self, why: problem) }
        connection.close(problem)
    }
}
