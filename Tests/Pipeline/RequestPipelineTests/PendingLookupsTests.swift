import HTTPWire
import RequestPipeline
import Testing

@testable import GatewayCore

@Suite struct PendingLookupsTests {
    private let client = PeerNetwork(IPAddress.version4(0x7F00_0001))
    private let other = PeerNetwork(IPAddress.version4(0xC633_6401))

    @Test func `requests for one key share a lookup until it has ended`() {
        var pending = PendingLookups<Int>(limit: 8)
        _ = pending.enter(1, for: .keySet(0), of: client)
        #expect(!pending.isStarted(.keySet(0)))
        pending.start(.keySet(0))
        _ = pending.enter(2, for: .keySet(0), of: client)
        _ = pending.enter(3, for: .keySet(1), of: client)
        #expect(pending.isStarted(.keySet(0)) && !pending.isStarted(.keySet(1)))
        pending.finish(.keySet(0))
        #expect(pending.take(.keySet(0)) == [1, 2])
        #expect(!pending.isStarted(.keySet(0)) && pending.count == 1)
    }

    @Test func `a lookup continues although no request waits for it any more`() {
        var pending = PendingLookups<Int>(limit: 8)
        _ = pending.enter(1, for: .revocationView, of: client)
        pending.start(.revocationView)
        #expect(pending.take { $0 == 1 } == [1])
        #expect(pending.isEmpty && pending.isStarted(.revocationView) && pending.lookups == 1)
    }

    @Test func `only matching requests are taken`() {
        var pending = PendingLookups<Int>(limit: 8)
        for number in 1...4 { _ = pending.enter(number, for: .keySet(number % 2), of: client) }
        #expect(pending.take(.keySet(0)) { $0 > 2 } == [4])
        #expect(pending.take(.keySet(0)) == [2])
        #expect(pending.count == 2)
    }

    @Test func `a client with few requests evicts a request of the client with the most`() {
        var pending = PendingLookups<Int>(limit: 3)
        for number in 1...3 { _ = pending.enter(number, for: .keySet(0), of: client) }
        guard case .refused = pending.enter(4, for: .keySet(0), of: client) else {
            Issue.record("the client with the most requests was admitted")
            return
        }
        guard case .replaced(3) = pending.enter(5, for: .keySet(0), of: other) else {
            Issue.record("the other client did not replace the latest request")
            return
        }
        #expect(pending.take(.keySet(0)) == [1, 2, 5])
    }
}
