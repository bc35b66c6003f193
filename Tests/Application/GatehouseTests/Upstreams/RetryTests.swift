import GatewayConfiguration
import Testing

@testable import Forwarding
@testable import Gatehouse
@testable import SystemFixtures

/// Failed requests are retried on another server. The test plays both servers.
@Suite struct RetryTests {
    typealias Reasons = Set<Configuration.Upstream.Retry.Reason>

    private static let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
    private static let put = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"

    private static func failure(_ status: Int) -> String { "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n" }

    private func rig(_ second: LoopbackListener?, on reasons: Reasons = [.connect, .reset]) throws -> RequestPathRig {
        try RequestPathRig {
            if let second {
                $0.upstreams[0].servers.append(Configuration.UpstreamServer(host: "127.0.0.1", port: second.port))
            }
            $0.upstreams[0].retry?.conditions = reasons
            $0.upstreams[0].responseTimeout = .seconds(5)
        }
    }

    static let retried: [(String, Reasons)] = [
        ("HTTP/1.1 502 No\r\nContent-Length: 4\r\n\r\nbody", [.status502, .status503, .status504]),
        (failure(503), [.status502, .status503, .status504]), (failure(504), [.status504]), ("", [.reset]),
    ]

    @Test(arguments: retried)
    func `a configured failure is retried elsewhere`(response: String, reasons: Reasons) throws {
        let second = try LoopbackListener()
        let rig = try rig(second, on: reasons)
        let (client, server) = try rig.exchange()
        try server.send(response)
        server.close()
        let other = try second.accept()
        try other.respond()
        #expect(try client.readMessage().status == 200)
    }

    static let forwarded: [(String, String, Reasons, Int)] = [
        (failure(502), .getRequest, [.status503], 502), ("", .getRequest, [.connect], 502),
        ("", post, [.reset, .status503], 502), (failure(503), post, [.reset, .status503], 503),
        (failure(503), put, [.status503], 503),
    ]

    @Test(arguments: forwarded)
    func `a failure is not retried unless configured, nor for POST and sent bodies`(
        response: String, request: String, reasons: Reasons, status: Int
    ) throws {
        let second = try LoopbackListener()
        let rig = try rig(second, on: reasons)
        let (client, server) = try rig.exchange(request)
        try server.send(response)
        server.close()
        #expect(try client.readMessage().status == status)
        #expect(!second.hasConnection)
    }

    @Test func `the only server is not retried after a reset`() throws {
        let rig = try rig(nil)
        let (client, server) = try rig.exchange()
        server.close()
        #expect(try client.readMessage().status == 502)
    }

    @Test func `a timeout is retried elsewhere if configured`() throws {
        let second = try LoopbackListener()
        let rig = try rig(second, on: [.timeout])
        let (client, late) = try rig.exchange()
        try rig.pass(seconds: 6)
        let other = try second.accept()
        try other.respond()
        #expect(try client.readMessage().status == 200)
        late.close()
    }

    @Test func `the budget bounds retries`() throws {
        let second = try LoopbackListener()
        let rig = try rig(second, on: [.status503])
        try rig.onWorker { $0.pools[0].budget = RetryBudget(percent: 0) }
        try rig.onWorker { worker in for _ in 0..<RetryBudget.floor { _ = worker.pools[0].budget.take() } }
        let (client, server) = try rig.exchange()
        try server.send(Self.failure(503))
        #expect(try client.readMessage().status == 503)
    }

    @Test func `a failing server is ejected and its idle connections closed`() throws {
        let second = try LoopbackListener()
        let rig = try RequestPathRig {
            $0.upstreams[0].servers.append(Configuration.UpstreamServer(host: "127.0.0.1", port: second.port))
            $0.upstreams[0].ejection?.failures = 1
        }
        let (client, server) = try rig.exchange()
        try server.send(Self.failure(503))
        #expect(try client.readMessage().status == 503)
        #expect(try rig.onWorker { $0.pools[0].machine.servers.candidates } == [1])
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        try rig.pass(seconds: 11)
        #expect(try rig.onWorker { $0.pools[0].machine.servers.candidates } == [0, 1])
    }

    @Test func `removed addresses receive no requests and lose their idle connections`() throws {
        let second = try LoopbackListener()
        let rig = try rig(nil)
        // The test holds both ends: closing its own end would remove the connection from the pool too.
        let (client, gone) = try rig.warm()
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
        let port = second.port
        try rig.onWorker { worker in
            let address = try LoopbackListener.address(port: port)
            worker.pools[0].apply(.endpoints([UpstreamEndpoint(server: 0, address: address)]))
        }
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        #expect(try gone.readToEnd().end == .finished)
        try client.send(.getRequest)
        let other = try second.accept()
        try other.respond()
        #expect(try client.readMessage().status == 200)
    }
}
