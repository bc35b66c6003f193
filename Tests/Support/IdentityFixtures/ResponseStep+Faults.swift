internal import NIOCore
internal import Synchronization
package import DevelopmentIdentity

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

// Steps of a server that sends no complete response
extension ResponseStep {
    /// Sends this many bytes of ``BodyPattern``, no faster than the peer reads.
    package static func fill(_ count: Int) -> ResponseStep { .run { channel, next in fill(count, channel, next) } }

    private static func fill(_ count: Int, _ channel: any Channel, _ next: @escaping @Sendable () -> Void) {
        guard count > 0 else { return next() }
        // The pattern repeats every 64 bytes. The length of each piece except the last is a multiple of that.
        let piece = count < 65_536 ? BodyPattern.bytes(count) : fullPiece
        channel.writeAndFlush(ByteBuffer(bytes: piece)).whenSuccess {
            // A write that completes immediately calls back immediately. Continuing on the next turn bounds the stack.
            channel.eventLoop.execute { fill(count - piece.count, channel, next) }
        }
    }

    private static let fullPiece = BodyPattern.bytes(65_536)

    /// Sends one byte at a time with a pause after each.
    package static func drip(_ bytes: ArraySlice<UInt8>, interval: Duration) -> ResponseStep {
        .run { channel, next in drip(bytes, interval, channel, next) }
    }

    private static func drip(
        _ bytes: ArraySlice<UInt8>, _ interval: Duration, _ channel: any Channel,
        _ next: @escaping @Sendable () -> Void
    ) {
        guard let first = bytes.first else { return next() }
        channel.writeAndFlush(ByteBuffer(bytes: [first])).whenSuccess {
            channel.eventLoop.scheduleTask(in: TimeAmount(interval)) {
                drip(bytes.dropFirst(), interval, channel, next)
            }
        }
    }

    /// Waits for a duration.
    package static func wait(_ duration: Duration) -> ResponseStep {
        .run { channel, next in channel.eventLoop.scheduleTask(in: TimeAmount(duration), next) }
    }

    /// Waits until the gate opens.
    package static func hold(_ gate: Gate) -> ResponseStep { .run { _, next in gate.whenOpen(next) } }

    /// Stops or resumes reading from the peer.
    package static func reading(_ isOn: Bool) -> ResponseStep {
        .run { channel, next in
            try? channel.syncOptions?.setOption(.autoRead, value: isOn)
            next()
        }
    }

    /// Never continues.
    package static var hang: ResponseStep { .run { _, _ in } }

    /// Closes with a TCP reset: a socket with a linger time of zero discards unsent data when it is closed.
    package static var reset: ResponseStep {
        .run { channel, _ in
            guard let socket = channel as? any SocketOptionProvider else { return channel.close(promise: nil) }
            socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
        }
    }
}

/// Bodies of any length whose content a receiver can check.
package enum BodyPattern {
    private static let block = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-\n".utf8)

    /// The first `count` bytes of the pattern, which repeats every 64 bytes.
    package static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { block[$0 & 63] } }
}

/// Holds responses until a test opens it, so that no test has to sleep.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// A closed gate.
    package init() {}

    /// The number of held responses.
    package var waiting: Int { state.withLock { $0.waiters.count } }

    /// Releases all current and later responses.
    package func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter() }
    }

    /// Calls `body` once, when the gate is open.
    func whenOpen(_ body: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiters.append(body) }
            return state.isOpen
        }
        if isOpen { body() }
    }
}
