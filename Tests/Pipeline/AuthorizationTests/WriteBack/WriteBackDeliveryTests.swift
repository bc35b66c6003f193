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
            var isDown = false
        }

        private let state = Mutex(State())
        let transport = FakeTransport()

        init() {
            transport.always { [self] request in respond(to: request) }
        }

        var updates: [String] { state.withLock { $0.updates } }
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
                    if request.bodyText.contains("disableUser") { state.isDisabled = request.bodyText.contains("true") }
                }
                return .success(response)
            }
        }
    }

    private struct Rig {
        let google = Google()
        let time = ManualClock()
        let log = LogLines()
        let store: SQLiteStore
        let delivery: WriteBackDelivery

        init() async throws {
            store = try SQLiteStore(path: nil, clock: time.clock, logger: .silent)
            try await store.load()
            let environment = LookupEnvironment(
                transport: google.transport, clock: time.clock, logger: log.logger, wake: { _, _ in })
            let writer = FirebaseWriteBack(
                Configuration.WriteBack(Configuration.FirebaseAccounts(serviceAccount: nil)),
                path: FirebaseProjectPath(project: "my-app", tenant: nil), credential: .emulator,
                environment: environment)
            delivery = WriteBackDelivery(
                store, environment: environment, machine: WriteBackMachine(random: { $0 }), writer: { writer })
            delivery.adopt(limit: 10) { $0.uid != "apple.com:1" }
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
        #expect(rig.delivery.status().failed == 0)
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
        _ = try await eventually("a failed delivery") { rig.delivery.status().failed > 0 ? true : nil }
        #expect(try await rig.store.setDisabled("ann", false).writeBack == .queued)
        rig.google.setDown(false)
        try await rig.untilDelivered()
        #expect(!rig.google.isDisabled && rig.google.updates.last == #"{"localId":"ann","disableUser":false}"#)
    }

    @Test func `without write-back nothing is queued`() async throws {
        let rig = try await Rig()
        rig.delivery.adopt(limit: nil) { _ in true }
        #expect(try await rig.store.setDisabled("ann", true).writeBack == .off)
        #expect(try await rig.store.pollWriteBacks(by: "a", lease: 1, limit: 9).count == 0)
    }
}
