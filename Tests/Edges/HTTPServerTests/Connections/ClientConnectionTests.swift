import GatewayCore
import Testing

@testable import CoreFixtures
@testable import HTTPServer

@Suite struct ClientConnectionTests {
    private static let second: UInt64 = 1_000_000_000
    private let limits = ConnectionLimits()

    /// A state of a connection, with its last event at 0 unless the name contains the second.
    enum State: Sendable {
        case opening, idle, partialHead, deciding, exchanging, uploading, uploaded
        case responding, respondingEarly, finishedAt1, finishedEarly, lingering, lingeringAt1, closed

        var connection: ClientConnection {
            var connection = ClientConnection(now: 0, opens: self == .opening)
            switch self {
            case .opening, .idle: break
            case .partialHead: connection.headIsPartial(now: 0)
            case .closed: connection.close()
            case .deciding: connection.headCompleted(persistent: true, hasBody: true, now: 0)
            default: exchange(&connection)
            }
            return connection
        }

        private func exchange(_ connection: inout ClientConnection) {
            let hasBody: Set<State> = [
                .uploading, .uploaded, .respondingEarly, .finishedEarly, .lingering, .lingeringAt1,
            ]
            connection.headCompleted(persistent: true, hasBody: hasBody.contains(self), now: 0)
            connection.exchangeBegan(now: 0)
            if self == .uploaded { connection.bodyEnded(now: 0) }
            if [.exchanging, .uploading, .uploaded].contains(self) { return }
            connection.responseBegan(persistent: self != .finishedAt1, now: 0)
            if [.responding, .respondingEarly].contains(self) { return }
            _ = connection.responseEnded(hasMore: false, now: self == .finishedAt1 ? second : 0)
            if self == .lingering { _ = connection.responseSent(now: 0) }
            if self == .lingeringAt1 { _ = connection.responseSent(now: second) }
        }
    }

    // MARK: - Phases

    @Test(
        arguments: [
            (.idle, .readHead), (.deciding, .hold), (.uploading, .relayBody), (.uploaded, .hold),
            (.finishedEarly, .discard), (.closed, .discard),
        ] as [(State, ClientConnection.Arrival)])
    func `the phase decides about arriving bytes`(state: State, arrival: ClientConnection.Arrival) {
        #expect(state.connection.arrival() == arrival)
    }

    @Test func `only a connection without a part of a head is idle`() {
        let (idle, partial) = (State.idle.connection, State.partialHead.connection)
        #expect(idle.isIdle && !idle.isServing)
        #expect(!partial.isIdle && partial.hasPartialHead)
        #expect(State.deciding.connection.phase == .deciding)
    }

    @Test func `a handshake ends with the opened connection`() {
        var connection = State.opening.connection
        #expect(!connection.isIdle && !connection.isServing)
        connection.opened(now: limits.handshakeTimeout)
        #expect(connection.isIdle && connection.arrival() == .readHead)
        #expect(connection.expiry(now: limits.handshakeTimeout + 1, limits: limits) == .none)
    }

    @Test func `a complete exchange leads to the next request`() {
        var connection = State.responding.connection
        #expect(connection.responseEnded(hasMore: false, now: 1) == .nextRequest)
        #expect(connection.isIdle)
    }

    @Test(arguments: [(true, true), (false, false)])
    func `a response that closes the connection lingers`(isEarly: Bool, isPersistent: Bool) {
        var connection = (isEarly ? State.uploading : .exchanging).connection
        connection.responseBegan(persistent: isPersistent, now: 0)
        #expect(connection.responseEnded(hasMore: !isEarly, now: 1) == .linger)
        #expect(connection.phase == .finishing)
        #expect(connection.responseSent(now: 2) == true)
        #expect(connection.phase == .lingering)
    }

    @Test func `a request with close closes the connection`() {
        var connection = State.idle.connection
        connection.headCompleted(persistent: false, hasBody: false, now: 0)
        connection.exchangeBegan(now: 0)
        connection.responseBegan(persistent: true, now: 0)
        #expect(connection.responseEnded(hasMore: false, now: 1) == .close)
        #expect(connection.responseSent(now: 2) == false)
        #expect(connection.phase == .closed)
    }

    @Test func `bytes after a tunnel request are discarded`() {
        var connection = State.idle.connection
        connection.headCompleted(persistent: false, hasBody: false, requestsTunnel: true, now: 0)
        connection.responseBegan(persistent: true, now: 0)
        #expect(!connection.isPersistent)
        #expect(connection.responseEnded(hasMore: true, now: 1) == .linger)
        #expect(connection.responseSent(now: 2) == true)
    }

    @Test func `a request may be decided again until its response starts`() {
        var connection = State.exchanging.connection
        connection.exchangeReturned()
        #expect(connection.phase == .deciding)
        connection.exchangeBegan(now: 1)
        connection.responseBegan(persistent: true, now: 1)
        connection.exchangeReturned()
        #expect(connection.phase == .exchanging)
    }

    // MARK: - The end of the peer

    @Test(
        arguments: [
            // Between requests and within a head. Held requests are still served.
            (.idle, false, .closeOnceSent), (.partialHead, true, .closeOnceSent), (.idle, true, .respondThenClose),
            // After a complete request, within a body, and with the body held.
            (.exchanging, false, .respondThenClose), (.exchanging, true, .respondThenClose),
            (.uploading, false, .abort),
            (.uploading, true, .respondThenClose), (.finishedEarly, false, .respondThenClose),
            (.lingering, false, .close),
            (.opening, false, .close), (.closed, false, .close),
        ] as [(State, Bool, ClientConnection.PeerFinished)])
    func `the phase decides about the end of the peer`(
        state: State, holdsBytes: Bool, finished: ClientConnection.PeerFinished
    ) {
        var connection = state.connection
        #expect(connection.peerFinishedSending(holdsBytes: holdsBytes) == finished)
        switch (state, holdsBytes) {
        case (.idle, false): #expect(connection.phase == .finishing)
        case (.idle, true): #expect(connection.phase == .awaitingHead)
        case (.uploading, false): #expect(connection.isServing)
        // A connection does not linger for a peer that has ended.
        case (.finishedEarly, _): #expect(connection.responseSent(now: 2) == false)
        case (.lingering, _): #expect(connection.phase == .closed)
        case (.closed, _): #expect(connection.responseEnded(hasMore: true, now: 1) == .close)
        default: break
        }
    }

    @Test(arguments: [(false, .close), (true, .nextRequest)] as [(Bool, ClientConnection.Afterwards)])
    func `a peer that ended gets a response to each request`(hasMore: Bool, afterwards: ClientConnection.Afterwards) {
        var connection = State.exchanging.connection
        _ = connection.peerFinishedSending(holdsBytes: hasMore)
        connection.responseBegan(persistent: true, now: 1)
        #expect(connection.responseEnded(hasMore: hasMore, now: 1) == afterwards)
    }

    // MARK: - Timeouts

    @Test(
        arguments: [
            (.opening, ConnectionLimits().handshakeTimeout, .close), (.idle, 75 * second, .close),
            (.responding, 75 * second, .abort), (.finishedAt1, 76 * second, .close),
            (.lingeringAt1, 3 * second, .close),
        ] as [(State, UInt64, ClientConnection.Expiry)])
    func `each phase has its timeout`(state: State, limit: UInt64, expiry: ClientConnection.Expiry) {
        #expect(state.connection.expiry(now: limit, limits: limits) == .none)
        #expect(state.connection.expiry(now: limit + 1, limits: limits) == expiry)
    }

    @Test(arguments: [State.deciding, .exchanging, .closed])
    func `neither a request that the gateway processes nor a closed connection has a timeout`(state: State) {
        #expect(state.connection.expiry(now: 1000 * Self.second, limits: limits) == .none)
    }

    @Test func `the timeout of a head starts at its first byte`() {
        var connection = State.idle.connection
        connection.headIsPartial(now: 5 * Self.second)
        connection.headIsPartial(now: 14 * Self.second)
        #expect(connection.expiry(now: 15 * Self.second, limits: limits) == .none)
        #expect(connection.expiry(now: 15 * Self.second + 1, limits: limits) == .requestTimeout)
    }

    @Test func `a body without progress times out`() {
        var connection = State.uploading.connection
        connection.progress(now: 10 * Self.second)
        var limits = limits
        limits.bodyRate = 0
        #expect(connection.expiry(now: 85 * Self.second, limits: limits) == .none)
        #expect(connection.expiry(now: 85 * Self.second + 1, limits: limits) == .requestTimeout)
    }

    @Test(arguments: [(75, false), (76, true), (599, true), (600, true)] as [(UInt64, Bool)])
    func `a call without a response may send slowly, up to the idle time of streams`(seconds: UInt64, isLate: Bool) {
        let connection = State.uploading.connection
        let (now, call) = (seconds * Self.second, limits.ofCall(idle: 600 * Self.second))
        #expect(connection.expiry(now: now, limits: call) == .none)
        let expected: ClientConnection.Expiry = seconds < 600 ? .none : .requestTimeout
        #expect(connection.expiry(now: now + 1, limits: call) == expected)
        var ordinary = limits
        #expect(connection.expiry(now: now, limits: ordinary) == .requestTimeout)
        ordinary.bodyRate = 0
        #expect((connection.expiry(now: now, limits: ordinary) == .requestTimeout) == isLate)
    }

    @Test func `the whole request has a timeout from its head`() {
        var limits = limits
        limits.requestTimeout = 10 * Self.second
        #expect(State.exchanging.connection.expiry(now: 10 * Self.second, limits: limits) == .none)
        #expect(State.exchanging.connection.expiry(now: 10 * Self.second + 1, limits: limits) == .totalTimeout)
        #expect(State.responding.connection.expiry(now: 10 * Self.second + 1, limits: limits) == .abort)
        var connection = State.idle.connection
        connection.headIsPartial(now: 2 * Self.second)
        connection.headCompleted(persistent: true, hasBody: false, now: 9 * Self.second)
        #expect(connection.expiry(now: 12 * Self.second + 1, limits: limits) == .totalTimeout)
    }

    @Test func `a clock before the start expires nothing`() {
        #expect(ClientConnection(now: 100).expiry(now: 0, limits: limits) == .none)
    }
}

extension ClientConnection {
    /// The expiry without bytes of a body.
    fileprivate func expiry(now: UInt64, limits: ConnectionLimits) -> Expiry {
        expiry(now: now, limits: limits, bodyBytes: 0)
    }
}

@Suite struct RegistryTests {
    private let connectionContext = ConnectionContext(limits: ConnectionLimits(), clock: ManualClock().clock)

    private func handlers(_ count: Int) -> [ClientHandler] {
        (0..<count).map { _ in ClientHandler(connectionContext: connectionContext, peer: PeerAddress(nil)) }
    }

    @Test func `connections are removed in any order`() {
        let handlers = handlers(5)
        for handler in handlers { connectionContext.registry.add(handler) }
        for index in [2, 0, 4, 1, 3] {
            connectionContext.registry.remove(handlers[index])
            #expect(!connectionContext.registry.elements.contains { $0 === handlers[index] })
        }
        #expect(connectionContext.registry.count == 0)
    }

    @Test func `removing a connection twice has no effect`() {
        let handlers = handlers(2)
        for handler in handlers { connectionContext.registry.add(handler) }
        connectionContext.registry.remove(handlers[0])
        connectionContext.registry.remove(handlers[0])
        #expect(connectionContext.registry.count == 1)
        #expect(connectionContext.registry.elements[0] === handlers[1])
    }

    @Test func `a removal during a visit disturbs no visit`() {
        let handlers = handlers(4)
        for handler in handlers { connectionContext.registry.add(handler) }
        var visits = 0
        connectionContext.registry.forEach {
            visits += 1
            connectionContext.registry.remove($0)
        }
        #expect(visits == 4)
    }
}
