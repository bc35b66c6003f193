import NIOCore

/// What one event loop has for the connections that listeners give it. It outlives listeners and configurations.
struct ListenerLane: Sendable {
    let front: NIOLoopBound<ServerFront>
    let counters: NIOLoopBound<WorkerCounters>

    var loop: any EventLoop { front.eventLoop }
}

/// What a listener serves with on one loop, now.
final class ListenerSlot {
    var front: ListenerFront {
        didSet { opening = Self.opening(front, counters) }
    }
    private(set) var opening: ConnectionOpening?
    private let counters: WorkerCounters

    init(_ front: ListenerFront, _ counters: WorkerCounters) {
        self.front = front
        self.counters = counters
        opening = Self.opening(front, counters)
    }

    private static func opening(_ front: ListenerFront, _ counters: WorkerCounters) -> ConnectionOpening? {
        guard front.tls != nil || front.takesProxyHeader else { return nil }
        return ConnectionOpening(isSecure: front.tls != nil, counters: counters)
    }
}
