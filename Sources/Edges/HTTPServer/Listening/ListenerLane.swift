package import GatewayCore
package import NIOCore

/// What one event loop has for the connections that listeners give it. It outlives listeners and configurations.
package struct ListenerLane: Sendable {
    package let front: NIOLoopBound<ServerFront>
    package let counters: NIOLoopBound<WorkerCounters>

    package init(front: NIOLoopBound<ServerFront>, counters: NIOLoopBound<WorkerCounters>) {
        self.front = front
        self.counters = counters
    }

    var loop: any EventLoop { front.eventLoop }
}

/// What a listener serves with on one loop, now.
final class ListenerSlot {
    private(set) var front: ListenerFront
    private(set) var opening: ConnectionOpening?
    private let home: ServerFront
    private let counters: WorkerCounters

    init(_ front: ListenerFront, of home: ServerFront, _ counters: WorkerCounters) {
        self.front = front
        self.home = home
        self.counters = counters
        opening = Self.opening(front, counters)
    }

    /// New connections are served with another front. Where that lets others in, those that came in by the one before end with their next
    /// answer: they would have to prove themselves anew.
    func install(_ next: ListenerFront) {
        let previous = front
        front = next
        opening = Self.opening(next, counters)
        guard !next.admitsLike(previous) else { return }
        for connection in home.registry.connections where connection.listener === self { connection.outdate() }
    }

    private static func opening(_ front: ListenerFront, _ counters: WorkerCounters) -> ConnectionOpening? {
        guard front.tls != nil || front.takesProxyHeader else { return nil }
        return ConnectionOpening(isSecure: front.tls != nil, counters: counters)
    }
}
