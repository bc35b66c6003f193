import Testing

@testable import HTTPServer

@Suite struct ClientConnectionTests {
    private static let second: UInt64 = 1_000_000_000
    private let limits = ConnectionLimits()
    private var connection = ClientConnection(now: 0)

    private func exchanging(hasBody: Bool = false, persistent: Bool = true) -> ClientConnection {
        var connection = connection
        connection.headCompleted(persistent: persistent, hasBody: hasBody, now: 0)
        connection.exchangeBegan(now: 0)
        return connection
    }

    private func answering(hasBody: Bool = false, persistent: Bool = true) -> ClientConnection {
        var connection = exchanging(hasBody: hasBody)
        connection.responseBegan(persistent: persistent, now: 0)
        return connection
    }

    @Test func itBeginsIdle() {
        #expect(connection.isIdle)
        #expect(!connection.isServing)
        #expect(connection.arrival() == .readHead)
    }

    @Test func itsHandshakeHasALimitOfItsOwn() {
        var opening = ClientConnection(now: 0, opens: true)
        #expect(!opening.isIdle && !opening.isServing)
        #expect(opening.expiry(now: limits.handshakeTimeout, limits: limits, bodyBytes: 0) == .none)
        #expect(opening.expiry(now: limits.handshakeTimeout + 1, limits: limits, bodyBytes: 0) == .close)
        opening.opened(now: limits.handshakeTimeout)
        #expect(opening.isIdle && opening.arrival() == .readHead)
        #expect(opening.expiry(now: limits.handshakeTimeout + 1, limits: limits, bodyBytes: 0) == .none)
    }

    @Test func aPeerThatEndsInItsHandshakeIsClosed() {
        var opening = ClientConnection(now: 0, opens: true)
        #expect(opening.peerFinishedSending(holdsBytes: false) == .close)
    }

    @Test mutating func aPartOfAHeadIsNotIdle() {
        connection.headIsPartial(now: 1)
        #expect(!connection.isIdle)
        #expect(connection.hasPartialHead)
    }

    @Test mutating func whileARequestIsDecidedBytesAreHeld() {
        connection.headCompleted(persistent: true, hasBody: true, now: 1)
        #expect(connection.phase == .deciding)
        #expect(connection.arrival() == .hold)
    }

    @Test func aBodyIsRelayedUntilItEnds() {
        var connection = exchanging(hasBody: true)
        #expect(connection.arrival() == .relayBody)
        connection.bodyEnded(now: 1)
        #expect(connection.arrival() == .hold)
    }

    @Test func aWholeExchangeLeadsToTheNextRequest() {
        var connection = answering()
        #expect(connection.responseEnded(hasMore: false, now: 1) == .nextRequest)
        #expect(connection.isIdle)
    }

    @Test func anAnswerBeforeTheBodyEndedLingers() {
        var connection = answering(hasBody: true)
        #expect(connection.responseEnded(hasMore: false, now: 1) == .linger)
        #expect(connection.phase == .finishing)
        #expect(connection.arrival() == .discard)
        #expect(connection.answerSent(now: 2) == true)
        #expect(connection.phase == .lingering)
    }

    @Test func anAnswerThatSaysCloseToWhoDidNotLingers() {
        var connection = answering(persistent: false)
        #expect(connection.responseEnded(hasMore: true, now: 1) == .linger)
        #expect(connection.answerSent(now: 2) == true)
        #expect(connection.phase == .lingering)
    }

    @Test func aRequestThatSaysCloseCloses() {
        var connection = exchanging(persistent: false)
        connection.responseBegan(persistent: true, now: 0)
        #expect(connection.responseEnded(hasMore: false, now: 1) == .close)
        #expect(connection.answerSent(now: 2) == false)
        #expect(connection.phase == .closed)
    }

    @Test mutating func whatFollowsTheRequestForATunnelIsDiscarded() {
        connection.headCompleted(persistent: false, hasBody: false, asksForTunnel: true, now: 0)
        connection.responseBegan(persistent: true, now: 0)
        #expect(!connection.isPersistent)
        #expect(connection.responseEnded(hasMore: true, now: 1) == .linger)
        #expect(connection.answerSent(now: 2) == true)
    }

    @Test func aRequestMayBeDecidedAgainUntilItsAnswerBegan() {
        var connection = exchanging()
        connection.exchangeReturned()
        #expect(connection.phase == .deciding)
        connection.exchangeBegan(now: 1)
        connection.responseBegan(persistent: true, now: 1)
        connection.exchangeReturned()
        #expect(connection.phase == .exchanging)
    }

    // MARK: - The peer's end

    @Test mutating func aPeerThatEndsBetweenRequestsIsClosedOnceAllIsSent() {
        #expect(connection.peerFinishedSending(holdsBytes: false) == .closeOnceSent)
        #expect(connection.phase == .finishing)
    }

    @Test mutating func aPeerThatEndsWithinAHeadIsClosed() {
        connection.headIsPartial(now: 1)
        #expect(connection.peerFinishedSending(holdsBytes: true) == .closeOnceSent)
    }

    @Test mutating func aPeerThatEndsBehindHeldRequestsIsStillServed() {
        #expect(connection.peerFinishedSending(holdsBytes: true) == .answerThenClose)
        #expect(connection.phase == .awaitingHead)
    }

    @Test func aPeerThatEndsBehindAWholeRequestIsAnswered() {
        var connection = exchanging()
        #expect(connection.peerFinishedSending(holdsBytes: false) == .answerThenClose)
        connection.responseBegan(persistent: true, now: 1)
        #expect(connection.responseEnded(hasMore: false, now: 1) == .close)
    }

    @Test func aPeerThatEndsBehindTwoRequestsIsAnsweredTwice() {
        var connection = exchanging()
        #expect(connection.peerFinishedSending(holdsBytes: true) == .answerThenClose)
        connection.responseBegan(persistent: true, now: 1)
        #expect(connection.responseEnded(hasMore: true, now: 1) == .nextRequest)
    }

    @Test func aPeerThatEndsWithinABodyAborts() {
        var connection = exchanging(hasBody: true)
        #expect(connection.peerFinishedSending(holdsBytes: false) == .abort)
        #expect(connection.isServing)
    }

    @Test func aPeerWhoseBodyIsHeldIsNotAborted() {
        var connection = exchanging(hasBody: true)
        #expect(connection.peerFinishedSending(holdsBytes: true) == .answerThenClose)
    }

    @Test func aPeerThatEndsWhileItsAnswerIsSentIsNotLingeredFor() {
        var connection = answering(hasBody: true)
        _ = connection.responseEnded(hasMore: false, now: 1)
        #expect(connection.peerFinishedSending(holdsBytes: false) == .answerThenClose)
        #expect(connection.answerSent(now: 2) == false)
    }

    @Test func aPeerThatEndsWhileLingeringCloses() {
        var connection = answering(hasBody: true)
        _ = connection.responseEnded(hasMore: false, now: 1)
        _ = connection.answerSent(now: 2)
        #expect(connection.peerFinishedSending(holdsBytes: false) == .close)
        #expect(connection.phase == .closed)
    }

    @Test mutating func aClosedConnectionStaysClosed() {
        connection.close()
        #expect(connection.peerFinishedSending(holdsBytes: false) == .close)
        #expect(connection.responseEnded(hasMore: true, now: 1) == .close)
        #expect(connection.arrival() == .discard)
        #expect(connection.expiry(now: .max, limits: limits) == .none)
    }

    // MARK: - Time

    @Test func anIdleConnectionClosesAfterItsTime() {
        #expect(connection.expiry(now: 75 * Self.second, limits: limits) == .none)
        #expect(connection.expiry(now: 75 * Self.second + 1, limits: limits) == .close)
    }

    @Test mutating func aHeadHasItsTimeFromItsFirstByte() {
        connection.headIsPartial(now: 5 * Self.second)
        connection.headIsPartial(now: 14 * Self.second)
        #expect(connection.expiry(now: 15 * Self.second, limits: limits) == .none)
        #expect(connection.expiry(now: 15 * Self.second + 1, limits: limits) == .requestTimeout)
    }

    @Test func aRequestThatIsDecidedHasNoTimeOfItsOwn() {
        var connection = connection
        connection.headCompleted(persistent: true, hasBody: true, now: 0)
        #expect(connection.expiry(now: 1000 * Self.second, limits: limits) == .none)
    }

    @Test func aWholeRequestWaitsForItsAnswerWithoutABoundHere() {
        #expect(exchanging().expiry(now: 1000 * Self.second, limits: limits) == .none)
    }

    @Test func aBodyWithoutProgressTimesOut() {
        var connection = exchanging(hasBody: true)
        connection.progress(now: 10 * Self.second)
        var limits = limits
        limits.bodyRate = 0
        #expect(connection.expiry(now: 85 * Self.second, limits: limits) == .none)
        #expect(connection.expiry(now: 85 * Self.second + 1, limits: limits) == .requestTimeout)
    }

    @Test func anAnswerWithoutProgressIsAborted() {
        #expect(answering().expiry(now: 75 * Self.second + 1, limits: limits) == .abort)
    }

    @Test func theWholeRequestHasItsTime() {
        var limits = limits
        limits.requestTimeout = 10 * Self.second
        #expect(exchanging().expiry(now: 10 * Self.second, limits: limits) == .none)
        #expect(exchanging().expiry(now: 10 * Self.second + 1, limits: limits) == .totalTimeout)
        #expect(answering().expiry(now: 10 * Self.second + 1, limits: limits) == .abort)
    }

    @Test mutating func theWholeRequestsTimeBeginsWithItsHead() {
        var limits = limits
        limits.requestTimeout = 10 * Self.second
        connection.headIsPartial(now: 2 * Self.second)
        connection.headCompleted(persistent: true, hasBody: false, now: 9 * Self.second)
        #expect(connection.expiry(now: 12 * Self.second + 1, limits: limits) == .totalTimeout)
    }

    @Test func anAnswerThatIsNotTakenIsGivenUp() {
        var connection = answering(persistent: false)
        _ = connection.responseEnded(hasMore: false, now: Self.second)
        #expect(connection.expiry(now: 76 * Self.second, limits: limits) == .none)
        #expect(connection.expiry(now: 76 * Self.second + 1, limits: limits) == .close)
    }

    @Test func lingeringIsShort() {
        var connection = answering(hasBody: true)
        _ = connection.responseEnded(hasMore: false, now: 0)
        _ = connection.answerSent(now: Self.second)
        #expect(connection.expiry(now: 3 * Self.second, limits: limits) == .none)
        #expect(connection.expiry(now: 3 * Self.second + 1, limits: limits) == .close)
    }

    @Test func aClockThatStandsBeforeTheStartExpiresNothing() {
        #expect(ClientConnection(now: 100).expiry(now: 0, limits: limits) == .none)
    }
}

extension ClientConnection {
    /// What has run out of time where no body has come.
    fileprivate func expiry(now: UInt64, limits: ConnectionLimits) -> Expiry {
        expiry(now: now, limits: limits, bodyBytes: 0)
    }
}
