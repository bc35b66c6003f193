package import GatewayCore
package import NIOCore

/// The resources of one event loop for connections of listeners. It persists across listeners and configurations.
package struct ListenerLane: Sendable {
    package let context: NIOLoopBound<ConnectionContext>
    package let counters: NIOLoopBound<WorkerCounters>

    package init(context: NIOLoopBound<ConnectionContext>, counters: NIOLoopBound<WorkerCounters>) {
        self.context = context
        self.counters = counters
    }

    var loop: any EventLoop { context.eventLoop }
}

/// The current settings of a listener on one loop.
final class ListenerSlot {
    private(set) var settings: ListenerSettings
    private(set) var opening: ConnectionOpening?
    private let home: ConnectionContext
    private let counters: WorkerCounters

    init(_ settings: ListenerSettings, of home: ConnectionContext, _ counters: WorkerCounters) {
        self.settings = settings
        self.home = home
        self.counters = counters
        opening = Self.opening(settings, counters)
    }

    /// Replaces the settings for new connections. If the new settings admit different clients, existing connections
    /// close after their next response and must connect again.
    func install(_ next: ListenerSettings) {
        let previous = settings
        settings = next
        opening = Self.opening(next, counters)
        guard !next.admitsLike(previous) else { return }
        for connection in home.registry.connections where connection.listener === self {
            connection.closeAfterResponse()
        }
    }

    private static func opening(_ settings: ListenerSettings, _ counters: WorkerCounters) -> ConnectionOpening? {
        guard settings.tls != nil || settings.takesProxyHeader else { return nil }
        return ConnectionOpening(isSecure: settings.tls != nil, counters: counters)
    }
}
