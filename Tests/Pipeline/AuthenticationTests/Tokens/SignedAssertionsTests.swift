import Authentication
import GatewayCore
import Testing

@Suite struct SignedAssertionsTests {
    private func assertion(_ upstream: Int, _ line: String, at time: Int64 = 100) -> SignedAssertions.Assertion {
        SignedAssertions.Assertion(
            upstream: upstream, line: Array(line.utf8), issuedAt: UnixTime(clamping: time), renewAt: 130)
    }

    @Test func `an assertion is reused for its upstream for half of its lifetime`() {
        var kept = SignedAssertions()
        kept.keep(assertion(1, "a"))
        #expect(kept.line(for: 1, now: 100) == Array("a".utf8) && kept.line(for: 1, now: 129) == Array("a".utf8))
        #expect(kept.line(for: 1, now: 130) == nil && kept.line(for: 0, now: 100) == nil)
        #expect(kept.line(for: 1, now: 99) == nil, "it is from the future")
    }

    @Test func `a newer assertion replaces that of its upstream`() {
        var kept = SignedAssertions()
        kept.keep(assertion(1, "a"))
        kept.keep(assertion(2, "b"))
        kept.keep(assertion(1, "c"))
        #expect(kept.line(for: 1, now: 100) == Array("c".utf8) && kept.line(for: 2, now: 100) == Array("b".utf8))
    }

    @Test func `the oldest assertion is evicted`() {
        var kept = SignedAssertions()
        for upstream in [3, 0, 2, 1, 4] { kept.keep(assertion(upstream, "\(upstream)", at: 100 + Int64(upstream))) }
        #expect(kept.line(for: 0, now: 110) == nil)
        for upstream in 1...4 { #expect(kept.line(for: upstream, now: 110) == Array("\(upstream)".utf8)) }
    }
}
