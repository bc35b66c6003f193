internal import Logging
internal import NIOCore

/// The link to the next node of a slot that is being moved. It is opened for the first command that follows `ASKING`,
/// and closed when it is unused for 30 s. It belongs to one event loop.
final class AskingLink {
    private static let unusedLimit = TimeAmount.seconds(30)

    private let configuration: RedisConfiguration
    private let loop: any EventLoop
    private let logger: Logger
    private let clock: @Sendable () -> UInt64
    private var current: (endpoint: RedisEndpoint, link: RedisLink)?
    private var end: Scheduled<Void>?

    init(
        _ configuration: RedisConfiguration, loop: any EventLoop, logger: Logger,
        clock: @escaping @Sendable () -> UInt64
    ) {
        (self.loop, self.logger, self.clock) = (loop, logger, clock)
        var configuration = configuration
        (configuration.agreement, configuration.refusesCopies) = (nil, true)
        self.configuration = configuration
    }

    /// Returns the link to a node. It replaces a link to another node.
    func link(to endpoint: RedisEndpoint) -> RedisLink {
        end?.cancel()
        end = loop.assumeIsolated().scheduleTask(in: Self.unusedLimit) { [weak self] in self?.stop() }
        if let current, current.endpoint == endpoint { return current.link }
        current?.link.stop()
        var configuration = configuration
        configuration.location = .server(endpoint)
        let link = RedisLink(configuration, loop: loop, logger: logger, clock: clock)
        current = (endpoint, link)
        link.start()
        return link
    }

    func stop() {
        end?.cancel()
        current?.link.stop()
        (current, end) = (nil, nil)
    }
}
