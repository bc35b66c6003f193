package import GatewayCore
package import NIOCore

/// The resources of one event loop for connections of listeners. It persists across listeners and configurations.
package struct ListenerLane: Sendable {
    package let context: NIOLoopBound<ConnectionContext>
    package let counters: NIOLoopBound<WorkerCounters>
    /// The handlers of the requests. `nil` for the context's handlers.
    let handlers: NIOLoopBound<any RequestHandlerSource>?

    package init(
        context: NIOLoopBound<ConnectionContext>, counters: NIOLoopBound<WorkerCounters>,
        handlers: NIOLoopBound<any RequestHandlerSource>? = nil
    ) {
        self.context = context
        self.counters = counters
        self.handlers = handlers
    }

    var loop: any EventLoop { context.eventLoop }
}

/// The current settings of a listener on one loop.
final class ListenerSlot {
    private(set) var settings: ListenerSettings
    private(set) var opening: ConnectionOpening?
    /// Whether a reload removed the listener.
    private(set) var isRetired = false
    private let home: ConnectionContext
    let counters: WorkerCounters
    /// The handlers of the requests. `nil` for the context's handlers.
    let handlers: (any RequestHandlerSource)?

    init(_ settings: ListenerSettings, on lane: ListenerLane) {
        self.settings = settings
        home = lane.context.value
        counters = lane.counters.value
        handlers = lane.handlers?.value
        opening = Self.opening(settings, counters)
    }

    /// Replaces the settings for new connections. If the new settings admit different clients, existing connections
    /// close after their next response and must connect again.
    func install(_ next: ListenerSettings) {
        let previous = settings
        settings = next
        opening = Self.opening(next, counters)
        if !next.admitsLike(previous) { closeConnections() }
    }

    /// Closes existing connections after their next response, because a reload removed the listener.
    func retire() {
        isRetired = true
        closeConnections()
    }

    private func closeConnections() {
        for connection in home.registry.elements where connection.listener === self {
            connection.closeAfterResponse()
        }
        for connection in home.multiplexed.elements where connection.listener === self {
            connection.closeGracefully()
        }
    }

    private static func opening(_ settings: ListenerSettings, _ counters: WorkerCounters) -> ConnectionOpening? {
        guard settings.tls != nil || settings.takesProxyHeader else { return nil }
        return ConnectionOpening(isSecure: settings.tls != nil, counters: counters)
    }
}
