internal import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Plays script steps on one channel, in order. It lives on the channel's event loop.
final class ScriptPlayer {
    private let context: ChannelHandlerContext
    private var steps = CircularBuffer<ScriptStep>()
    private var isWaiting = false
    private var isStopped = false
    private var isPlaying = false

    init(context: ChannelHandlerContext) {
        self.context = context
    }

    /// How many steps are still to come.
    var pending: Int { steps.count }

    /// Appends steps, and plays what can be played now.
    func play(_ more: [ScriptStep]) {
        guard !isStopped else { return }
        steps.append(contentsOf: more)
        continuePlaying()
    }

    /// Forgets everything that is still to come.
    func stop() {
        isStopped = true
        steps.removeAll()
    }

    /// Plays until there is nothing left, or a step has to wait.
    func continuePlaying() {
        // Writing may call back at once, when the channel's writability changes; the steps must stay in order.
        guard !isPlaying else { return }
        isPlaying = true
        defer { isPlaying = false }
        while !isWaiting, !isStopped, let step = steps.popFirst() {
            guard perform(step) else { return }
        }
    }

    /// Whether the next step may follow at once.
    private func perform(_ step: ScriptStep) -> Bool {
        switch step {
        case .send(let bytes): send(bytes)
        case .fill(let count): return fill(count)
        case .drip(let bytes, let interval): drip(bytes, interval)
        case .events(let next, let last, let interval): sendEvent(next, last, interval)
        case .wait(let duration): wait(duration)
        case .hold(let gate): hold(gate)
        case .reading(let isOn): setReading(isOn)
        case .close: close()
        case .reset: reset()
        case .hang: isWaiting = true
        }
        return true
    }

    private func send(_ bytes: some Sequence<UInt8>) {
        context.writeAndFlush(NIOAny(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }

    /// Sends as much as the channel takes; `channelWritabilityChanged` continues.
    private func fill(_ count: Int) -> Bool {
        var rest = count
        // A write may find the peer gone, and so stop the player within.
        while rest > 0, !isStopped {
            guard context.channel.isWritable else {
                steps.prepend(.fill(rest))
                return false
            }
            // The pattern repeats every 64 bytes and every piece but the last is a multiple of that, so that pieces fit.
            let piece = min(rest, 65_536)
            send(piece == 65_536 ? Self.fullPiece : BodyPattern.bytes(piece))
            rest -= piece
        }
        return true
    }

    private static let fullPiece = BodyPattern.bytes(65_536)

    private func drip(_ bytes: ArraySlice<UInt8>, _ interval: Duration) {
        guard let first = bytes.first else { return }
        send([first])
        steps.prepend(.drip(bytes.dropFirst(), interval: interval))
        wait(interval)
    }

    private func sendEvent(_ number: Int, _ last: Int?, _ interval: Duration) {
        guard last.map({ number <= $0 }) ?? true else { return }
        send(EventStream.chunk(number))
        steps.prepend(.events(next: number + 1, last: last, every: interval))
        if interval > .zero { wait(interval) }
    }

    private func wait(_ duration: Duration) {
        isWaiting = true
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) { self.resume() }
    }

    private func hold(_ gate: Gate) {
        isWaiting = true
        let player = NIOLoopBound(self, eventLoop: context.eventLoop)
        gate.whenOpen { [loop = context.eventLoop] in
            loop.execute { player.value.resume() }
        }
    }

    private func resume() {
        isWaiting = false
        continuePlaying()
    }

    private func setReading(_ isOn: Bool) {
        try? context.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }

    /// Closing drops what is not sent yet, so an empty write goes ahead: it completes after all others.
    private func close() {
        isWaiting = true
        let channel = context.channel
        context.writeAndFlush(NIOAny(channel.allocator.buffer(capacity: 0)))
            .whenComplete { _ in channel.close(promise: nil) }
    }

    /// Closing a socket that lingers for no time discards what is unsent and resets the connection.
    private func reset() {
        isWaiting = true
        let channel = context.channel
        guard let socket = channel as? any SocketOptionProvider else { return context.close(promise: nil) }
        socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
    }
}
