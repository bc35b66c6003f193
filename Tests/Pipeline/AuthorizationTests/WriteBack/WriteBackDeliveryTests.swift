import GatewayConfiguration
import GatewayCore
import Revocation
import RevocationStores
import Synchronization
import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP
@testable import StoreFixtures
@testable import SystemFixtures

/// Deliveries from a store to a Google server with one user, in its own clock's time.
@Suite struct WriteBackDeliveryTests {
    private final class Google: Sendable {
        private struct State {
            var validSince: Int64 = 0
            var isDisabled = false
            var updates: [String] = []
            var urls: [String] = []
            var isDown = false
        }

        private let state = Mutex(State())
        let transport = FakeTransport()

        init() {
            transport.always { [self] request in respond(to: request) }
        }

        var updates: [String] { state.withLock { $0.updates } }
        var urls: [String] { state.withLock { $0.urls } }
        var isDisabled: Bool { state.withLock { $0.isDisabled } }
        func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

        private func respond(to request: OutboundRequest) -> FakeTransport.Reply {
            state.withLock { state in
                var response = OutboundResponse(status: 200, body: Array("{}".utf8), date: ManualClock.start)
                if state.isDown {
                    response.status = 503
                } else if request.url.hasSuffix(":lookup") {
                    response.body = Array(
                        #"{"users":[{"localId":"ann","validSince":"\#(state.validSince)"}]}"#.utf8)
                } else {
                    state.updates.append(request.bodyText)
                    state.urls.append(request.url)
                    if request.bodyText.contains("disableUser") { state.isDisabled = request.bodyText.contains("true") }
                }
                return .success(response)
            }
        }
    }

    /// The writer of the current configuration.
    private final class Writers: Sendable {
        private let writer = Mutex<FirebaseWriteBack?>(nil)
        private let environment: LookupEnvironment

        init(environment: LookupEnvironment) { self.environment = environment }

        var current: FirebaseWriteBack? { writer.withLock { $0 } }

        func configure(_ project: String) {
            let environment = environment
            let next = FirebaseWriteBack(
                Configuration.WriteBack(Configuration.FirebaseAccounts(serviceAccount: nil)),
                credentials: [project: .emulator], environment: { environment })
            writer.withLock { $0 = next }
        }
    }

    private struct Rig {
        let google = Google()
        let time = ManualClock()
        let log = LogLines()
        let store: SQLiteStore
        let delivery: WriteBackDelivery
        private let writers: Writers

        init() async throws {
            store = try SQLiteStore(path: nil, clock: time.clock, logger: .silent)
            try await store.load()
            let environment = LookupEnvironment(
                transport: google.transport, clock: time.clock, logger: log.logger, wake: { _, _ in })
            let writers = Writers(environment: environment)
            self.writers = writers
            delivery = WriteBackDelivery(
                store, environment: environment, machine: WriteBackMachine(random: { $0 }),
                writer: { writers.current })
            configure("my-app")
        }

        /// Replaces the configuration by one with a single project.
        func configure(_ project: String) {
            writers.configure(project)
            delivery.adopt(limit: 10, projects: [project]) { user in
                user.uid == "apple.com:1" ? nil : WriteBackTarget(project: project, tenant: user.tenant)
            }
        }

        /// Advances the clock until the queue is empty.
        func untilDelivered() async throws {
            _ = try await eventually("an empty queue") {
                time.advance(seconds: 1)
                delivery.tick()
                let poll = try await store.pollWriteBacks(by: "test", lease: 1, limit: 1)
                return poll.count == 0 ? true : nil
            }
        }
    }

    @Test func `the record of the store is written, and nothing of a user without an account at Firebase`() async throws
    {
        let rig = try await Rig()
        #expect(try await rig.store.revoke("ann", at: 17).writeBack == .queued)
        #expect(try await rig.store.revoke("ann", at: 16).writeBack == .queued)
        #expect(try await rig.store.revoke("apple.com:1", at: 16).writeBack == .off)
        try await rig.untilDelivered()
        #expect(Set(rig.google.updates) == [#"{"localId":"ann","validSince":"17"}"#])
        #expect(rig.delivery.status()["identity_toolkit"].failed == 0)
    }

    @Test func `a change is never written to the project of a later configuration`() async throws {
        let rig = try await Rig()
        rig.google.setDown(true)
        try await rig.store.setDisabled("ann", true)
        _ = try await eventually("a failed delivery") {
            rig.delivery.status()["identity_toolkit"].failed > 0 ? true : nil
        }
        rig.configure("other-app")
        rig.google.setDown(false)
        _ = try await eventually("a delivery without the project") {
            rig.time.advance(seconds: 1)
            rig.delivery.tick()
            let status = rig.delivery.status()
            return status["identity_toolkit"].parked == 1 && status.count == 0 && status.parked == 1 ? true : nil
        }
        #expect(try await rig.store.setDisabled("ann", false).writeBack == .queued)
        _ = try await eventually("the delivery of the later change, while the earlier one is parked") {
            rig.time.advance(seconds: 1)
            rig.delivery.tick()
            let poll = try await rig.store.pollWriteBacks(by: "test", lease: 1, limit: 9)
            return !rig.google.urls.isEmpty && poll.count == 0 && poll.parked == 1 ? true : nil
        }
        #expect(rig.google.urls.allSatisfy { $0.contains("/projects/other-app/") })
        rig.configure("my-app")
        _ = try await eventually("the delivery of the earlier change") {
            rig.time.advance(seconds: 1)
            rig.delivery.tick()
            let poll = try await rig.store.pollWriteBacks(by: "test", lease: 1, limit: 9)
            return poll.count == 0 && poll.parked == 0 ? true : nil
        }
        #expect(rig.google.urls.last?.contains("/projects/my-app/") == true)
    }

    @Test func `a revocation that was cancelled before its delivery is not written`() async throws {
        let rig = try await Rig()
        rig.google.setDown(true)
        try await rig.store.revoke("ann", at: 17)
        try await rig.store.unrevoke("ann")
        rig.google.setDown(false)
        try await rig.untilDelivered()
        #expect(rig.google.updates.isEmpty)
    }

    @Test func `an outage delays the delivery, and an enabling after a disabling ends enabled`() async throws {
        let rig = try await Rig()
        rig.google.setDown(true)
        try await rig.store.setDisabled("ann", true)
        _ = try await eventually("a failed delivery") {
            rig.delivery.status()["identity_toolkit"].failed > 0 ? true : nil
        }
        #expect(try await rig.store.setDisabled("ann", false).writeBack == .queued)
        rig.google.setDown(false)
        try await rig.untilDelivered()
        #expect(!rig.google.isDisabled && rig.google.updates.last == #"{"localId":"ann","disableUser":false}"#)
    }

    @Test func `without write-back nothing is queued`() async throws {
        let rig = try await Rig()
        rig.delivery.adopt(limit: nil, projects: []) { _ in nil }
        #expect(try await rig.store.setDisabled("ann", true).writeBack == .off)
        #expect(try await rig.store.pollWriteBacks(by: "a", lease: 1, limit: 9).count == 0)
    }
}
