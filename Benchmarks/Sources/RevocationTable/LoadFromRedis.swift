import Logging
import NIOPosix
import Redis

@testable import GatewayCore
@testable import Revocation
@testable import RevocationStores
@testable import GatewayConfiguration

/// Measures the time of a replica to read all users from a Redis on loopback, and the latency of a later change.
///
/// The Redis must already contain the users; `Benchmarks/redis/scale.py` shows how to write them.
enum LoadFromRedis {
    static func run(port: Int) async throws {
        let (before, view, clock) = (Memory.now(), StoreView(), GatewayClock.system)
        let (stream, loaded) = AsyncStream<Void>.makeStream()
        let start = clock.monotonic()
        let replica = try Replica(
            configuration: RedisConfiguration(host: "127.0.0.1", port: port), view: view,
            loop: MultiThreadedEventLoopGroup.singleton.next(), clock: clock, logger: Logger(label: "bench"),
            loaded: { loaded.finish() })
        replica.start()
        for await _ in stream {}
        let usage = view.usage
        print("loaded: \(usage.users) users in \(Double((clock.monotonic() - start) / 1_000_000) / 1000) s")
        print("view: \(usage.bytes / 1_000_000) MB; process: \(Memory.now().resident - before.resident) MB more")
        try await changes(view, port: port)
        await replica.stop()
    }

    /// Measures the time from sending a change to its record in the view, 1,000 times.
    private static func changes(_ view: StoreView, port: Int) async throws {
        let client = RedisClient(
            RedisConfiguration(host: "127.0.0.1", port: port), loop: MultiThreadedEventLoopGroup.singleton.next(),
            logger: Logger(label: "bench"))
        client.start()
        guard await client.isReady(within: .seconds(5)) else { return }
        var times: [UInt64] = []
        let (clock, keys) = (GatewayClock.system, try StoreKeyMaker())
        for number in 0..<1000 {
            let key = try keys.key(of: UserKey(uid: "bench\(number)", tenant: nil))
            let time = Int64(1_700_000_000 + number)
            _ = try await client.send(
                RedisCommand(["HSET", "gatehouse:user:{bench\(number)}", "valid_since", time]))
            let start = clock.monotonic()
            let entry = RedisCommand(["XADD", "gatehouse:changes", "*", "uid", "bench\(number)", "valid_since", time])
            async let added = client.send(entry)
            while view.user(key) != .record(validSince: UnixTime(clamping: time), disabled: false) {}
            times.append(clock.monotonic() - start)
            _ = try await added
        }
        await client.close()
        times.sort()
        print(
            "from sending the XADD of a change to its record in the view: "
                + "median \(times[500] / 1000) us, p99 \(times[990] / 1000) us, longest \(times[999] / 1000) us")
    }
}
