import HTTPWire
import Testing

@testable import Forwarding

@Suite struct UpstreamExchangeTests {
    /// An exchange after the head of a response with this framing. The request was sent at 0.
    private func exchange(
        _ framing: BodyFraming? = nil, keepAlive: Bool = true, isRetryable: Bool = false, sent: Bool = true
    ) -> UpstreamExchange {
        var exchange = UpstreamExchange(isRetryable: isRetryable, now: 0)
        if sent { exchange.requestEnded(now: 0) }
        if let framing { exchange.headReceived(framing: framing, keepAlive: keepAlive) }
        return exchange
    }

    @Test(arguments: [
        (BodyFraming.none, true), (.length(0), true), (.length(1), false), (.chunked, false), (.untilClose, false),
    ])
    func `a response without a body is complete`(framing: BodyFraming, isComplete: Bool) {
        let exchange = exchange(framing)
        #expect(exchange.responsePhase == (isComplete ? .complete : .body))
        #expect(exchange.isReusable == isComplete)
    }

    @Test func `K-11: a connection is reusable after the ends of request and response`() {
        var open = exchange(.chunked)
        open.bodyEnded()
        #expect(open.isReusable)
        #expect(!exchange(BodyFraming.none, keepAlive: false).isReusable)
        var early = exchange(BodyFraming.none, sent: false)
        #expect(!early.isReusable)
        early.requestEnded(now: 1)
        #expect(early.isReusable)
    }

    @Test func `a request whose stream the server reset is not repeated as on a closed connection`() {
        var exchange = exchange(isRetryable: true)
        exchange.streamWasReset()
        #expect(exchange.outcome() == .noResponse)
        exchange.withdraw()
        #expect(exchange.outcome() == .retry)
    }

    @Test func `only a request without a response and without a sent body may be retried`() {
        #expect(exchange(isRetryable: true).outcome() == .retry)
        #expect(exchange(isRetryable: false).outcome() == .noResponse)
        var uploading = exchange(isRetryable: true)
        uploading.bodySent(now: 0)
        #expect(uploading.outcome() == .noResponse)
        var answered = exchange(isRetryable: true)
        answered.bytesReceived()
        #expect(answered.outcome() == .brokenHead)
    }

    @Test func `an end completes only a body that is not delimited`() {
        #expect(exchange(.length(5)).outcome() == .brokenBody)
        var exchange = exchange(.untilClose)
        #expect(exchange.outcome() == .complete)
        exchange.connectionFailed()
        #expect(exchange.outcome() == .brokenBody)
    }

    @Test func `a response is late relative to the end of the request`() {
        var exchange = exchange(sent: false)
        #expect(!exchange.responseIsLate(now: 1000, limit: 10))
        exchange.requestEnded(now: 1000)
        #expect(!exchange.responseIsLate(now: 1010, limit: 10))
        #expect(exchange.responseIsLate(now: 1011, limit: 10))
    }

    @Test func `only a complete head stops the timeout`() {
        var partial = exchange()
        partial.bytesReceived()
        #expect(partial.responseIsLate(now: 11, limit: 10))
        #expect(!exchange(.chunked).responseIsLate(now: 1000, limit: 10))
    }
}
