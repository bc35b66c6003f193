import GatewayConfiguration
import GatewayCore
import HTTPServer
import Logging
import NIOCore
import NIOPosix
import Synchronization

extension Gateway {
    /// Opens the configuration's listeners.
    func openListeners() async throws {
        budget.change(
            limit: try connectionLimit(of: current), perAddress: configuration.limits.connectionsPerAddress)
        for (wanted, front) in zip(configuration.listen, snapshot.fronts) {
            let listener = try await open(wanted.address, front)
            listeners.withLock { $0.append(listener) }
        }
    }

    /// The listeners of a configuration: those that are open at its addresses, and new ones at the others.
    ///
    /// - Throws: `GatewayStartError`; then nothing was opened.
    func listeners(for next: Generation) async throws -> [Listener] {
        var open = listeners.withLock { $0 }
        var result: [Listener] = []
        var opened: [Listener] = []
        for (wanted, front) in zip(next.configuration.listen, next.snapshot.fronts) {
            if let index = open.firstIndex(where: { $0.wanted == wanted.address }) {
                result.append(open.remove(at: index))
                continue
            }
            do {
                let listener = try await self.open(wanted.address, front)
                opened.append(listener)
                result.append(listener)
            } catch {
                for listener in opened { await listener.close() }
                throw error
            }
        }
        return result
    }

    /// Closes what was opened for a configuration that does not come to be.
    func closeOthers(than kept: [Listener], among opened: [Listener]) async {
        for listener in opened where !kept.contains(where: { $0 === listener }) { await listener.close() }
    }

    /// From now on these are the gateway's, each with its front; the others accept no more.
    func install(_ next: [Listener], fronts: [ListenerFront]) async {
        let previous = listeners.withLock { current in
            defer { current = next }
            return current
        }
        for (listener, front) in zip(next, fronts) where listener.front !== front { listener.install(front) }
        for listener in previous where !next.contains(where: { $0 === listener }) {
            await listener.close()
            logger.notice("no longer listening", metadata: ["address": "\(listener.wanted)"])
        }
        for listener in next where !previous.contains(where: { $0 === listener }) {
            logger.notice("listening", metadata: ["address": "\(name(of: listener))"])
        }
    }

    /// Opens one listener on every worker.
    private func open(_ address: ListenAddress, _ front: ListenerFront) async throws -> Listener {
        do {
            var lanes: [ListenerLane] = []
            for bound in loops {
                let loop = bound.eventLoop
                lanes.append(
                    try await loop.submit {
                        ListenerLane(
                            front: NIOLoopBound(bound.value.front, eventLoop: loop),
                            counters: NIOLoopBound(bound.value.counters, eventLoop: loop))
                    }.get())
            }
            return try await Listener.open(
                address, lanes: lanes, group: workerGroup, control: controlGroup.next(), front: front, budget: budget)
        } catch {
            throw GatewayStartError(cannotListenOn: "\(address)", error)
        }
    }
}
