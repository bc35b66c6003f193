import HTTPWire
import Testing

@testable import Forwarding

@Suite struct UpstreamExchangeTests {
    private func exchange(maySendAgain: Bool = false, sent: Bool = true) -> UpstreamExchange {
        var exchange = UpstreamExchange(maySendAgain: maySendAgain, now: 0)
        if sent { exchange.requestEnded(now: 0) }
        return exchange
    }

    @Test(arguments: [BodyFraming.none, .length(0)]) func anAnswerWithoutABodyIsComplete(framing: BodyFraming) {
        var exchange = exchange()
        exchange.headCame(framing: framing, keepAlive: true)
        #expect(exchange.answer == .complete)
        #expect(exchange.isReusable)
    }

    @Test(arguments: [BodyFraming.length(1), .chunked, .untilClose]) func anAnswerWithABodyIsNot(framing: BodyFraming) {
        var exchange = exchange()
        exchange.headCame(framing: framing, keepAlive: true)
        #expect(exchange.answer == .body)
        #expect(!exchange.isReusable)
    }

    @Test func aConnectionIsReusableOnceTheBodyEnded() {
        var exchange = exchange()
        exchange.headCame(framing: .chunked, keepAlive: true)
        exchange.bodyEnded()
        #expect(exchange.isReusable)
    }

    @Test func aConnectionThatSaysCloseIsNotReusable() {
        var exchange = exchange()
        exchange.headCame(framing: .none, keepAlive: false)
        #expect(!exchange.isReusable)
    }

    @Test func k11AnAnswerBeforeTheRequestEndedIsNotReusable() {
        var exchange = exchange(sent: false)
        exchange.headCame(framing: .none, keepAlive: true)
        #expect(!exchange.isReusable)
        exchange.requestEnded(now: 1)
        #expect(exchange.isReusable)
    }

    @Test func anEndWithoutAnAnswerMayBeSentAgain() {
        #expect(exchange(maySendAgain: true).ending() == .sendAgain)
        #expect(exchange(maySendAgain: false).ending() == .unanswered)
    }

    @Test func nothingIsSentAgainAfterAPartOfTheBody() {
        var exchange = exchange(maySendAgain: true)
        exchange.bodySent(now: 0)
        #expect(exchange.ending() == .unanswered)
    }

    @Test func nothingIsSentAgainAfterAPartOfTheAnswer() {
        var exchange = exchange(maySendAgain: true)
        exchange.bytesCame()
        #expect(exchange.ending() == .brokenHead)
    }

    @Test func anEndWithinABodyOfKnownEndBreaksIt() {
        var exchange = exchange()
        exchange.headCame(framing: .length(5), keepAlive: true)
        #expect(exchange.ending() == .brokenBody)
    }

    @Test func anEndCompletesABodyUpToTheEnd() {
        var exchange = exchange()
        exchange.headCame(framing: .untilClose, keepAlive: true)
        #expect(exchange.ending() == .complete)
    }

    @Test func aFailureBreaksABodyUpToTheEnd() {
        var exchange = exchange()
        exchange.headCame(framing: .untilClose, keepAlive: true)
        exchange.connectionFailed()
        #expect(exchange.ending() == .brokenBody)
    }

    @Test func anAnswerIsLateFromTheRequestsEnd() {
        var exchange = exchange(sent: false)
        #expect(!exchange.answerIsLate(now: 1000, limit: 10))
        exchange.requestEnded(now: 1000)
        #expect(!exchange.answerIsLate(now: 1010, limit: 10))
        #expect(exchange.answerIsLate(now: 1011, limit: 10))
    }

    @Test func bytesOfAHeadGainNoTime() {
        var exchange = exchange()
        exchange.bytesCame()
        #expect(exchange.answerIsLate(now: 11, limit: 10))
    }

    @Test func anAnswerThatBeganIsNotLate() {
        var exchange = exchange()
        exchange.headCame(framing: .chunked, keepAlive: true)
        #expect(!exchange.answerIsLate(now: 1000, limit: 10))
    }
}
