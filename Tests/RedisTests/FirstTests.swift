import Logging
import NIOPosix
import Redis
import RedisFixtures
import Testing

@Suite("a client and a real server")
struct FirstTests {
    @Test("a value that was set is got")
    func setAndGet() async throws {
        let server = try await RedisServer()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let client = RedisClient(
            RedisConfiguration(host: "127.0.0.1", port: server.port), loop: loop, logger: Logger(label: "test"))
        client.start()
        #expect(await client.isReady(within: .seconds(5)))
        let values = try await client.send(RedisCommand(["SET", "a", "b"]) + RedisCommand(["GET", "a"]))
        #expect(values == [.status("OK"), .string(Array("b".utf8))])
        await client.close()
    }
}
