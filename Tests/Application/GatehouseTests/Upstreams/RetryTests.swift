import GatewayConfiguration
import Testing

@testable import Forwarding
@testable import Gatehouse
@testable import SystemFixtures

/// Requests that a server failed go to another one; the test plays both.
@Suite struct RetryTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func rig(
        _ second: LoopbackListener?, on reasons: Set<Configuration.Upstream.Retry.Reason> = [.connect, .reset]
    ) throws -> RequestPathRig {
        try RequestPathRig {
            if let second {
                $0.upstreams[0].servers.append(Configuration.UpstreamServer(host: "127.0.0.1", port: second.port))
            }
            $0.upstreams[0].retry?.on = reasons
            $0.upstreams[0].responseTimeout = .seconds(5)
        }
    }

    /// What the client gets when its server answers so and closes.
    ///
    /// - Parameter isRetried: whether the other server should be asked then.
    private func status(
        after answer: String, _ request: String = get, on reasons: Set<Configuration.Upstream.Retry.Reason>,
        isRetried: Bool
    ) throws -> Int {
        let second = try LoopbackListener()
        let rig = try rig(second, on: reasons)
        let client = try rig.connect()
        try client.send(request)
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        if !answer.isEmpty { try server.send(answer) }
        server.close()
        if isRetried {
            let other = try second.accept()
            _ = try other.readHead()
            try other.send(Self.ok)
            return try client.readMessage().status
        }
        let status = try client.readMessage().status
        #expect(!second.hasConnection)
        return status
    }

    @Test(arguments: [502, 503, 504]) func aConfiguredStatusIsRetriedElsewhere(status: Int) throws {
        let answer = "HTTP/1.1 \(status) No\r\nContent-Length: 4\r\n\r\nbody"
        let all: Set<Configuration.Upstream.Retry.Reason> = [.status502, .status503, .status504]
        #expect(try self.status(after: answer, on: all, isRetried: true) == 200)
    }

    @Test func anotherStatusIsPassedOn() throws {
        let answer = "HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n"
        #expect(try status(after: answer, on: [.status503], isRetried: false) == 502)
    }

    @Test func aResetIsRetriedElsewhere() throws {
        #expect(try status(after: "", on: [.reset], isRetried: true) == 200)
    }

    @Test func aResetIsNotRetriedWhereThatIsNotConfigured() throws {
        #expect(try status(after: "", on: [.connect], isRetried: false) == 502)
    }

    @Test(arguments: ["", "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"])
    func whatIsNotIdempotentIsNeverRetried(answer: String) throws {
        let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
        let expected = answer.isEmpty ? 502 : 503
        #expect(try status(after: answer, post, on: [.reset, .status503], isRetried: false) == expected)
    }

    @Test func aRequestWhoseBodyWasSentIsNotRetried() throws {
        let put = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"
        let answer = "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"
        #expect(try status(after: answer, put, on: [.status503], isRetried: false) == 503)
    }

    @Test func theOnlyServerIsNotAskedAgainAfterAReset() throws {
        let rig = try rig(nil)
        let client = try rig.connect()
        try client.send(Self.get)
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        server.close()
        #expect(try client.readMessage().status == 502)
    }

    @Test func aLateAnswerIsRetriedElsewhereWhereConfigured() throws {
        let second = try LoopbackListener()
        let rig = try rig(second, on: [.timeout])
        let client = try rig.connect()
        try client.send(Self.get)
        let late = try rig.upstream.accept()
        _ = try late.readHead()
        try rig.pass(seconds: 6)
        let other = try second.accept()
        _ = try other.readHead()
        try other.send(Self.ok)
        #expect(try client.readMessage().status == 200)
        late.close()
    }

    @Test func theBudgetBoundsRetries() throws {
        let second = try LoopbackListener()
        let rig = try rig(second, on: [.status503])
        try rig.onWorker { $0.pools[0].budget = RetryBudget(percent: 0) }
        try rig.onWorker { worker in for _ in 0..<RetryBudget.floor { _ = worker.pools[0].budget.take() } }
        let client = try rig.connect()
        try client.send(Self.get)
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
        #expect(try client.readMessage().status == 503)
    }

    @Test func aServerThatFailsIsLeftOutAndItsIdleConnectionsClosed() throws {
        let second = try LoopbackListener()
        let rig = try RequestPathRig {
            $0.upstreams[0].servers.append(Configuration.UpstreamServer(host: "127.0.0.1", port: second.port))
            $0.upstreams[0].ejection?.failures = 1
        }
        let client = try rig.connect()
        try client.send(Self.get)
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
        #expect(try client.readMessage().status == 503)
        #expect(try rig.onWorker { $0.pools[0].machine.servers.candidates } == [1])
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        try rig.pass(seconds: 11)
        #expect(try rig.onWorker { $0.pools[0].machine.servers.candidates } == [0, 1])
    }

    @Test func addressesThatVanishGetNoNewRequestsAndLoseTheirIdleConnections() throws {
        let second = try LoopbackListener()
        let rig = try rig(nil)
        // The test holds both ends: the pool's connection would go with its own end, too.
        let (client, gone) = try rig.warm()
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
        let port = second.port
        try rig.onWorker { worker in
            let address = try LoopbackListener.address(port: port)
            worker.pools[0].apply(.endpoints([UpstreamEndpoint(server: 0, address: address)]))
        }
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        #expect(try gone.readToEnd().end == .finished)
        try client.send(Self.get)
        let other = try second.accept()
        _ = try other.readHead()
        try other.send(Self.ok)
        #expect(try client.readMessage().status == 200)
    }
}
