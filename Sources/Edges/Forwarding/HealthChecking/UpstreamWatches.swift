package import Logging
package import NIOCore
import NIOPosix
import Synchronization

/// The monitors of all upstreams of the active configuration.
package final class UpstreamWatches: Sendable {
    private let environment: UpstreamWatch.Environment
    private let threads: NIOThreadPool
    private let watches = Mutex<[UpstreamWatch]>([])

    /// The maximum number of concurrent name lookups.
    private static let resolvers = 4

    /// Creates the monitors. `tell` passes updates to the upstream's pool on every loop.
    package init(
        loop: any EventLoop, logger: Logger, notify: @escaping @Sendable (UpstreamSettings, UpstreamUpdate) -> Void
    ) {
        threads = NIOThreadPool(numberOfThreads: Self.resolvers)
        environment = UpstreamWatch.Environment(
            resolver: .system(threads), loop: loop, logger: logger, notify: notify)
    }

    package var current: [UpstreamWatch] { watches.withLock { $0 } }

    /// Replaces the monitored upstreams. The monitors of unchanged upstreams continue.
    package func follow(_ upstreams: [UpstreamSettings]) {
        let wanted = upstreams.filter(\.needsHealthChecking)
        guard !wanted.isEmpty || !current.isEmpty else { return }
        threads.start()
        let (added, ended) = watches.withLock { watches in
            let before = watches
            let added = wanted.filter { settings in !before.contains { $0.settings == settings } }
                .map { UpstreamWatch($0, environment) }
            watches = before.filter { watch in wanted.contains { $0 == watch.settings } } + added
            return (added, before.filter { watch in !wanted.contains { $0 == watch.settings } })
        }
        for watch in ended { watch.stop() }
        for watch in added { watch.start() }
    }

    package func stop() {
        for watch in current { watch.stop() }
        watches.withLock { $0 = [] }
        threads.shutdownGracefully { _ in }
    }
}
