import Accounts
import GatewayConfiguration
import GatewayCore
import NIOCore
import Testing

@testable import Gatehouse
@testable import SystemFixtures

/// The limits of buffered bodies of account calls in a worker.
@Suite struct HeldCallsTests {
    private struct NoService: AccountServing {
        func serve(_ call: AccountCall, completion: @escaping @Sendable (AccountReply) -> Void) { completion(.done()) }
    }

    private static let body = String(repeating: "x", count: 100)
    private static let request =
        "POST /.gatehouse/sign-in HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n\(body)"

    @Test func `one network holds at most its share`() {
        var calls = WorkerCalls(service: NoService(), cookies: SessionCookieLines(name: "__session"))
        let first = calls.hold(WorkerCalls.networkLimit, of: .version4(1))
        let more = calls.hold(1, of: .version4(1))
        let other = calls.hold(WorkerCalls.networkLimit, of: .version6(1))
        #expect(first && !more && other)
        calls.release(WorkerCalls.networkLimit, of: .version4(1))
        let again = calls.hold(WorkerCalls.networkLimit, of: .version4(1))
        #expect(again)
    }

    @Test func `all networks together hold at most the limit of the worker`() {
        var calls = WorkerCalls(service: NoService(), cookies: SessionCookieLines(name: "__session"))
        for network in 0..<UInt32(WorkerCalls.heldLimit / WorkerCalls.networkLimit) {
            let held = calls.hold(WorkerCalls.networkLimit, of: .version4(network))
            #expect(held)
        }
        let more = calls.hold(1, of: .version4(.max))
        #expect(!more)
    }

    @Test func `K-07: slow bodies of one network do not exclude others and are released at their end`() throws {
        let rig = try RequestPathRig(lookups: RemoteLookups(calls: NoService())) {
            $0.accounts = Configuration.Accounts()
        }
        let network = PeerNetwork(try SocketAddress(ipAddress: "127.0.0.1", port: 0))
        let share = WorkerCalls.networkLimit - 150
        try rig.onWorker { _ = $0.calls?.hold(share, of: network) }
        for _ in 0..<2 { #expect(try status(rig) == 204) }
        try rig.onWorker { _ = $0.calls?.hold(100, of: network) }
        #expect(try status(rig) == 503)
        #expect(try status(rig, from: 2) == 204)
    }

    private func status(_ rig: RequestPathRig, from source: UInt8? = nil) throws -> Int {
        let client = try rig.send(Self.request, from: source)
        return Int(try client.readMessage().status)
    }
}
