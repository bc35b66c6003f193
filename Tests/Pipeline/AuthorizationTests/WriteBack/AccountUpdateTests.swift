import GatewayConfiguration
import GatewayCore
import Revocation
import Synchronization
import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP
@testable import StoreFixtures

@Suite struct AccountUpdateTests {
    typealias Change = AccountUpdate.Payload.Change

    /// A writer with a Google server that the test plays.
    private struct Rig {
        let transport = FakeTransport()
        let log = LogLines()
        let time = ManualClock()
        let writer: FirebaseWriteBack
        let results = Results()

        final class Results: Sendable {
            private let results = Mutex<[Result<WriteBackResult, GoogleCallFailure>]>([])

            var all: [Result<WriteBackResult, GoogleCallFailure>] { results.withLock { $0 } }
            func add(_ result: Result<WriteBackResult, GoogleCallFailure>) { results.withLock { $0.append(result) } }
        }

        init() {
            let environment = LookupEnvironment(
                transport: transport, clock: time.clock, logger: log.logger, wake: { _, _ in })
            writer = FirebaseWriteBack(
                Configuration.WriteBack(Configuration.FirebaseAccounts(serviceAccount: nil)),
                credentials: ["my-app": .emulator, "other-app": .emulator], environment: { environment })
        }

        func write(_ change: Change, to project: String = "my-app", tenant: String? = nil) {
            let target = WriteBackTarget(project: project, tenant: tenant)
            writer.write(AccountUpdate.Payload(uid: "ann", target: target, change: change)) { results.add($0) }
        }

        func answer(_ place: Int, _ status: Int = 200, _ body: String = "{}", date: Int64? = 1000) {
            transport.answer(
                place, .success(OutboundResponse(status: status, body: Array(body.utf8), date: date)))
        }

        func body(_ place: Int) -> String { transport.calls[place].request.bodyText }
    }

    private static let user = #"{"users":[{"localId":"ann","validSince":"500"}]}"#

    @Test func `a revocation is written with the time of the store`() throws {
        let rig = Rig()
        rig.write(.validSince(700))
        #expect(rig.body(0) == #"{"localId":["ann"]}"#)
        rig.answer(0, 200, Self.user)
        let request = rig.transport.calls[1].request
        #expect(request.url == "https://identitytoolkit.googleapis.com/v1/projects/my-app/accounts:update")
        #expect(request.field("authorization") == "Bearer owner")
        #expect(rig.body(1) == #"{"localId":"ann","validSince":"700"}"#)
        rig.answer(1)
        #expect(rig.results.all == [.success(.updated)])
    }

    @Test func `a time after Google's clock is not written`() {
        let rig = Rig()
        rig.write(.validSince(2000))
        rig.answer(0, 200, Self.user)
        #expect(rig.body(1) == #"{"localId":"ann","validSince":"1000"}"#)
    }

    @Test(arguments: [400, 500] as [UnixTime])
    func `validSince never goes back`(wanted: UnixTime) {
        let rig = Rig()
        rig.write(.validSince(wanted))
        rig.answer(0, 200, Self.user)
        #expect(rig.results.all == [.success(.unchanged)] && rig.transport.count == 1)
    }

    @Test func `a response without Google's time is not used`() {
        let rig = Rig()
        rig.write(.validSince(700))
        rig.answer(0, 200, Self.user, date: nil)
        #expect(rig.transport.count == 1)
        #expect(rig.results.all == [.failure(GoogleCallFailure(reason: "malformed", retryAfter: nil))])
    }

    @Test(arguments: [true, false])
    func `a user is disabled and enabled by one call`(isDisabled: Bool) {
        let rig = Rig()
        rig.write(.disabled(isDisabled))
        #expect(rig.body(0) == #"{"localId":"ann","disableUser":\#(isDisabled)}"#)
        rig.answer(0)
        #expect(rig.results.all == [.success(.updated)])
    }

    @Test func `a user is updated in the project and tenant of the entry`() {
        let rig = Rig()
        rig.write(.disabled(true), tenant: "acme")
        rig.write(.validSince(1), to: "other-app", tenant: "acme")
        rig.write(.disabled(true), to: "other-app")
        let base = "https://identitytoolkit.googleapis.com/v1/projects/"
        #expect(
            rig.transport.calls.map(\.request.url) == [
                base + "my-app/tenants/acme/accounts:update", base + "other-app/tenants/acme/accounts:lookup",
                base + "other-app/accounts:update",
            ])
    }

    @Test(arguments: ["third-app", "", "my-app/x"])
    func `nothing is written for a project that is not configured`(project: String) {
        let rig = Rig()
        rig.write(.disabled(true), to: project)
        #expect(rig.results.all == [.success(.unconfigured)] && rig.transport.count == 0)
    }

    static let errors: [(status: Int, body: String, result: Result<WriteBackResult, GoogleCallFailure>)] = [
        (400, #"{"error":{"message":"USER_NOT_FOUND"}}"#, .success(.missing)),
        (400, #"{"error":{"message":"INVALID_X : detail"}}"#, .success(.rejected("INVALID_X"))),
        (400, "", .success(.rejected("400"))),
        (400, #"{"error":{"message":"INVALID_LOCAL_ID"}}"#, .success(.missing)),
        (
            400, #"{"error":{"message":"QUOTA_EXCEEDED : x"}}"#,
            .failure(GoogleCallFailure(reason: "throttled", retryAfter: nil))
        ),
        (403, #"{"error":{"message":"PERMISSION_DENIED"}}"#, .success(.forbidden)),
        (429, "", .failure(GoogleCallFailure(reason: "throttled", retryAfter: nil))),
        (503, "", .failure(GoogleCallFailure(reason: "status", retryAfter: nil, concernsAll: false))),
    ]

    @Test(arguments: errors.indices)
    func `permanent failures are told apart from temporary ones`(place: Int) {
        let (status, body, result) = Self.errors[place]
        let rig = Rig()
        rig.write(.disabled(true))
        rig.answer(0, status, body)
        #expect(rig.results.all == [result])
        #expect(!rig.log.text.contains("ann"))
    }

    @Test func `no request is sent after the deadline, and none lasts longer`() {
        let rig = Rig()
        let now = rig.time.clock.monotonic()
        let target = WriteBackTarget(project: "my-app", tenant: nil)
        rig.writer.write(
            AccountUpdate.Payload(
                uid: "ann", target: target, change: .validSince(700), deadline: now + 1_500_000_000)
        ) { rig.results.add($0) }
        #expect(rig.transport.calls[0].timeout == .milliseconds(1500))
        rig.time.advance(seconds: 2)
        rig.answer(0, 200, Self.user)
        #expect(rig.transport.count == 1)
        #expect(rig.results.all == [.failure(GoogleCallFailure(reason: "timed_out", retryAfter: nil))])
    }

    @Test func `a user without an account at Firebase is missing`() {
        let rig = Rig()
        rig.write(.validSince(700))
        rig.answer(0, 200, "{}")
        #expect(rig.results.all == [.success(.missing)])
    }
}
