import GatewayConfiguration
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import Forwarding

@Suite struct UpstreamPlacesTests {
    private let settings = UpstreamSettings(
        Configuration.Upstream(
            name: "api",
            servers: [.init(host: "a.test", port: 1), .init(host: "10.0.0.9", port: 2), .init(path: "/run/app.sock")]),
        counterPlace: 0, tls: nil, files: [])

    private func address(_ last: Int) throws -> SocketAddress {
        try SocketAddress(ipAddress: "10.0.0.\(last)", port: 1)
    }

    @Test func `only names are resolved`() {
        #expect(ResolvedEndpoints(settings).names == [0])
        #expect(ResolvedEndpoints(settings).endpoints.count == 3)
    }

    @Test func `all addresses of a name are used`() throws {
        var places = ResolvedEndpoints(settings)
        let isNews = places.record([try address(1), try address(2), try address(1)], of: 0)
        #expect(isNews)
        #expect(places.endpoints.map(\.server) == [0, 0, 1, 2])
        #expect(places.isComplete)
        let isAgain = places.record([try address(2), try address(1)], of: 0)
        #expect(!isAgain, "another order is no change")
    }

    @Test func `a failed resolution keeps the last addresses`() throws {
        var places = ResolvedEndpoints(settings)
        _ = places.record([try address(1)], of: 0)
        #expect(places.record(nil, of: 0) == false)
        #expect(places.record([], of: 0) == false)
        #expect(places.endpoints.first?.address == (try address(1)))
    }

    @Test func `the number of addresses is bounded`() throws {
        var places = ResolvedEndpoints(settings)
        _ = places.record(try (1...200).map(address), of: 0)
        #expect(places.endpoints.count == UpstreamSettings.addressesEach + 2)
    }
}

@Suite struct UpstreamWatchTests {
    /// The addresses of a name, which the test changes.
    private final class Zone: Sendable {
        let addresses = Mutex<[SocketAddress]?>(nil)
        let reported = Mutex<[[UpstreamEndpoint]]>([])
    }

    private func watch(_ zone: Zone) -> UpstreamWatch {
        var upstream = Configuration.Upstream(name: "api", servers: [.init(host: "a.test", port: 1)])
        upstream.resolveEvery = .seconds(60)
        return UpstreamWatch(
            UpstreamSettings(upstream, counterPlace: 0, tls: nil, files: []),
            UpstreamWatch.Environment(
                resolver: NameResolver { _, _ in zone.addresses.withLock { $0 } },
                loop: MultiThreadedEventLoopGroup.singleton.next(),
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
                notify: { _, news in
                    guard case .endpoints(let endpoints) = news else { return }
                    zone.reported.withLock { $0.append(endpoints) }
                }))
    }

    @Test func `new addresses are reported and lost ones are removed`() async throws {
        let zone = Zone()
        let watch = watch(zone)
        let soon = await watch.resolve()
        #expect(try #require(soon) < .seconds(10))
        let first = try SocketAddress(ipAddress: "10.0.0.1", port: 1)
        let second = try SocketAddress(ipAddress: "10.0.0.2", port: 1)
        for addresses in [[first, second], nil, [second]] {
            zone.addresses.withLock { $0 = addresses }
            let later = await watch.resolve()
            #expect(try #require(later) > .seconds(50))
        }
        #expect(zone.reported.withLock { $0.map { $0.map(\.address) } } == [[first, second], [second]])
    }

    @Test func `the system resolves names of this machine`() async {
        let threads = NIOThreadPool(numberOfThreads: 1)
        threads.start()
        let addresses = await NameResolver.system(threads).resolve("localhost", 80)
        #expect(addresses?.isEmpty == false)
        #expect(addresses?.allSatisfy { $0.port == 80 } == true)
        #expect(await NameResolver.system(threads).resolve("no-such-name.invalid", 80) == nil)
        try? await threads.shutdownGracefully()
    }
}
