import Dispatch
import GatewayCore
import HTTPServer
import Logging
import NIOCore
import NIOPosix
import Revocation
import Synchronization
import Testing

@testable import Gatehouse
@testable import StoreFixtures

@Suite struct SupervisorTests {
    /// A service manager and a clock for tests.
    private final class Manager: Sendable {
        let received = Mutex<[String]>([])
        let waits = Mutex<[Duration]>([])
        /// The outcomes of the next messages. Further messages are sent.
        let outcomes = Mutex<[NotifySocket.Outcome]>([])
        /// The number of waits after which a task counts as cancelled.
        let lastWait: Int

        init(lastWait: Int = .max) { self.lastWait = lastWait }

        func supervisor(watchdog: Duration? = nil) -> Supervisor {
            Supervisor(
                watchdog: watchdog, clock: GatewayClock(now: { 0 }, monotonic: { 7_000_000 }), logger: .silent,
                wait: { [self] duration in
                    let count = waits.withLock { waits in
                        waits.append(duration)
                        return waits.count
                    }
                    guard count < lastWait else { throw CancellationError() }
                },
                send: { [self] message in
                    let outcome = outcomes.withLock { $0.isEmpty ? .sent : $0.removeFirst() }
                    if outcome == .sent { received.withLock { $0.append(message) } }
                    return outcome
                })
        }

        /// Delivers the posted messages up to `last`, and returns all of them.
        func messages(of supervisor: Supervisor, until last: String) async -> [String] {
            let delivery = Task { await supervisor.deliver() }
            while !received.withLock({ $0.contains { $0.hasPrefix(last) } }) { await Task.yield() }
            delivery.cancel()
            await delivery.value
            return received.withLock { $0 }
        }
    }

    private static func status(isReady: Bool) -> ServingStatus {
        ServingStatus(listeners: ["127.0.0.1:1"], generation: 1, isReady: isReady)
    }

    @Test func `a gateway that is ready is announced at once`() async {
        let manager = Manager()
        let supervisor = manager.supervisor()
        await supervisor.announce { Self.status(isReady: true) }
        #expect(manager.waits.withLock { $0 } == [])
        #expect(
            await manager.messages(of: supervisor, until: "READY=1")
                == ["READY=1\nSTATUS=Serving on 127.0.0.1:1, configuration 1"])
    }

    @Test func `a gateway that becomes ready in time is announced when it is ready`() async {
        let manager = Manager()
        let supervisor = manager.supervisor()
        await supervisor.announce { Self.status(isReady: manager.waits.withLock { $0.count } == 3) }
        #expect(manager.waits.withLock { $0 } == Array(repeating: .milliseconds(100), count: 3))
        #expect(
            await manager.messages(of: supervisor, until: "READY=1")
                == ["READY=1\nSTATUS=Serving on 127.0.0.1:1, configuration 1"])
    }

    @Test func `a gateway without its keys is announced after five seconds, and its readiness later`() async {
        let manager = Manager()
        let supervisor = manager.supervisor()
        await supervisor.announce { Self.status(isReady: manager.waits.withLock { $0.count } == 52) }
        #expect(manager.waits.withLock { $0.prefix(50).reduce(.zero, +) } == .seconds(5))
        #expect(manager.waits.withLock { $0.dropFirst(50) } == [.seconds(1), .seconds(1)])
        let unready = "Serving on 127.0.0.1:1, configuration 1; not ready: see /readyz"
        #expect(
            await manager.messages(of: supervisor, until: "STATUS=Serving on 127.0.0.1:1, configuration 1")
                .first == "READY=1\nSTATUS=\(unready)")
        #expect(
            manager.received.withLock { $0.last } == "STATUS=Serving on 127.0.0.1:1, configuration 1")
    }

    @Test func `pings are sent at half of the interval, each after a turn of the event loops`() async {
        let manager = Manager(lastWait: 3)
        let supervisor = manager.supervisor(watchdog: .seconds(30))
        let turns = Mutex(0)
        await supervisor.ping { turns.withLock { $0 += 1 } }
        #expect(turns.withLock { $0 } == 3)
        #expect(manager.waits.withLock { $0 } == Array(repeating: .seconds(15), count: 3))
        supervisor.stopping(within: .seconds(1))
        let messages = await manager.messages(of: supervisor, until: "STOPPING=1")
        #expect(messages.dropLast() == ["WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"])
    }

    @Test func `without a watchdog there is no ping`() async {
        let manager = Manager()
        await manager.supervisor().ping { Issue.record("a turn without a watchdog") }
    }

    @Test func `a shutdown of the event loops ends the pings`() async {
        let manager = Manager()
        let supervisor = manager.supervisor(watchdog: .seconds(30))
        await supervisor.ping { throw CancellationError() }
        supervisor.stopping(within: .seconds(1))
        #expect(await manager.messages(of: supervisor, until: "STOPPING=1").count == 1)
    }

    @Test func `a reload is reported with the monotonic clock`() async {
        let manager = Manager()
        let supervisor = manager.supervisor()
        await supervisor.announce { Self.status(isReady: true) }
        supervisor.reloadBegan()
        supervisor.reloadEnded(ServingStatus(listeners: [], generation: 2))
        supervisor.stopping(within: .seconds(1))
        let messages = await manager.messages(of: supervisor, until: "STOPPING=1")
        #expect(messages.count == 4)
        #expect(messages[1].hasPrefix("RELOADING=1\nMONOTONIC_USEC=7000\n"))
        #expect(messages[2] == "READY=1\nSTATUS=Serving, configuration 2")
    }

    @Test func `a full queue is retried, and a failure drops only its message`() async {
        let manager = Manager()
        manager.outcomes.withLock { $0 = [.full, .full, .sent, .failed(2)] }
        let supervisor = manager.supervisor()
        await supervisor.announce { Self.status(isReady: true) }
        supervisor.reloadBegan()
        supervisor.reloadEnded(ServingStatus(listeners: [], generation: 2))
        let messages = await manager.messages(of: supervisor, until: "READY=1\nSTATUS=Serving, configuration 2")
        #expect(messages.count == 2)
        #expect(messages[0].hasPrefix("READY=1\nSTATUS=Serving on"))
        #expect(manager.waits.withLock { $0 } == [.milliseconds(100), .milliseconds(100)])
    }

    @Test func `a queue that stays full drops a message after ten attempts`() async {
        let manager = Manager()
        manager.outcomes.withLock { $0 = Array(repeating: .full, count: 10) }
        let supervisor = manager.supervisor()
        await supervisor.announce { Self.status(isReady: true) }
        supervisor.stopping(within: .seconds(1))
        #expect(await manager.messages(of: supervisor, until: "STOPPING=1").count == 1)
        #expect(manager.waits.withLock { $0.count } == 9)
    }
}

@Suite struct TurningLoopsTests {
    @Test func `a blocked event loop prevents the ping`() async throws {
        let control = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let workers = WorkerLoops(count: 2) { loop, _ in
            WorkerLoop(
                loop: loop, limits: ConnectionLimits(), counters: WorkerCounters(routes: 1, upstreams: 1),
                store: StoreAccess(reader: StoreView().reader(), redis: nil), clock: .system, logger: .silent,
                accessLog: nil)
        }
        try await workers.start()
        try await Gateway.turn(workers, control)
        for loop in [workers.group.next(), workers.group.next(), control.next()] {
            let release = DispatchSemaphore(value: 0)
            let hasTurned = Mutex(false)
            loop.execute { release.wait() }
            let turn = Task {
                try await Gateway.turn(workers, control)
                hasTurned.withLock { $0 = true }
            }
            // The other loops run, and a round of all loops has had time to end.
            for _ in 0..<100 {
                for other in [workers.group.next(), workers.group.next(), control.next()] where other !== loop {
                    try await other.submit {}.get()
                }
            }
            #expect(!hasTurned.withLock { $0 })
            release.signal()
            try await turn.value
            #expect(hasTurned.withLock { $0 })
        }
        _ = await workers.stop()
        await workers.shutdown()
        try await control.shutdownGracefully()
    }
}
