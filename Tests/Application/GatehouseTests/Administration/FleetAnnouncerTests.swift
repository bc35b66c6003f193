import AdminAPI
import GatewayCore
import Revocation
import Synchronization
import Testing

@testable import CoreFixtures
@testable import Gatehouse

struct FleetAnnouncerTests {
    /// A store whose response the test determines.
    private final class FakeStore: FleetStore {
        let response = Mutex<Result<[FleetEntry]?, StoreError>>(.success([]))
        let announced = Mutex<[FleetEntry]>([])

        func announce(_ gateway: FleetEntry, now: Int64) async throws(StoreError) -> [FleetEntry]? {
            announced.withLock { $0.append(gateway) }
            return try response.withLock { $0 }.get()
        }
    }

    private let store = FakeStore()
    private let clock = ManualClock()

    private let log = LogLines()

    private func announcer(wait: @escaping Supervisor.Wait = { _ in throw CancellationError() }) -> FleetAnnouncer {
        FleetAnnouncer(store, clock: clock.clock, logger: log.logger, wait: wait)
    }

    private func member(_ id: String, seen: Int64) -> AdministeredFleet.Member {
        AdministeredFleet.Member(
            id: id, name: "host-\(id)", version: "1", configuration: "c", generation: 1, startedAt: 1, seenAt: seen,
            isReady: true, connections: 0)
    }

    @Test func `a failure keeps the others until their announcements expire`() async {
        let (announcer, now) = (announcer(), clock.clock.now())
        let other = FleetEntry(id: "2", text: member("2", seen: now).announcement)
        store.response.withLock { $0 = .success([other, FleetEntry(id: "3", text: "{}")]) }
        var fleet = await announcer.announce(member("1", seen: now))
        #expect(fleet.isShared && fleet.trouble == nil && fleet.members.map(\.id) == ["1", "2"])
        store.response.withLock { $0 = .failure(StoreError(.io, "down")) }
        clock.advance(seconds: 45)
        fleet = await announcer.announce(member("1", seen: now))
        #expect(fleet.trouble?.contains("down") == true && fleet.members.map(\.id) == ["1", "2"])
        clock.advance(seconds: 1)
        fleet = await announcer.announce(member("1", seen: now))
        #expect(fleet.members.map(\.id) == ["1"])
    }

    @Test func `without a shared store, the gateway is alone`() async {
        store.response.withLock { $0 = .success(nil) }
        let fleet = await announcer().announce(member("1", seen: 0))
        #expect(!fleet.isShared && fleet.trouble == nil && fleet.members.map(\.id) == ["1"])
    }

    @Test func `a failed announcement is repeated soon, and logged once if it continues to fail`() async {
        store.response.withLock { $0 = .failure(StoreError(.io, "down")) }
        let waits = Mutex<[Duration]>([])
        let announcer = announcer { duration in
            try waits.withLock { waits in
                waits.append(duration)
                if waits.count == 5 { throw CancellationError() }
            }
        }
        await announcer.run { member("1", seen: 0) }
        #expect(waits.withLock { $0 } == Array(repeating: .seconds(2), count: 5))
        #expect(log.all.count == 1)
    }

    @Test func `the gateway announces itself at once and after each interval`() async {
        let waits = Mutex(0)
        let announcer = announcer { duration in
            #expect(duration == .seconds(10))
            try waits.withLock { waits in
                waits += 1
                if waits == 3 { throw CancellationError() }
            }
        }
        await announcer.run { member("1", seen: 0) }
        #expect(store.announced.withLock { $0.map(\.id) } == Array(repeating: announcer.id, count: 3))
        #expect(announcer.id.count == 32 && !announcer.name.isEmpty)
    }
}
