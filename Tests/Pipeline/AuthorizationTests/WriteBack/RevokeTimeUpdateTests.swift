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

/// Entries for security rules, with a Realtime Database that the test plays.
@Suite struct RevokeTimeUpdateTests {
    private struct Rig {
        let transport = FakeTransport()
        let log = LogLines()
        let writer: FirebaseWriteBack
        let results = Results()

        final class Results: Sendable {
            private let results = Mutex<[Result<WriteBackResult, GoogleCallFailure>]>([])

            var all: [Result<WriteBackResult, GoogleCallFailure>] { results.withLock { $0 } }
            func add(_ result: Result<WriteBackResult, GoogleCallFailure>) { results.withLock { $0.append(result) } }
        }

        init(url: String = "https://{project}-default-rtdb.firebaseio.com") {
            let environment = LookupEnvironment(
                transport: transport, clock: ManualClock().clock, logger: log.logger, wake: { _, _ in })
            var settings = Configuration.WriteBack(Configuration.FirebaseAccounts(serviceAccount: nil))
            (settings.writesAccounts, settings.databaseURL) = (false, url)
            writer = FirebaseWriteBack(settings, credentials: ["my-app": .emulator], environment: { environment })
        }

        func write(_ time: UnixTime, uid: String = "ann", to project: String = "my-app") {
            writer.write(RevokeTimeUpdate.Payload(uid: uid, time: time), to: project) { results.add($0) }
        }

        func answer(
            _ place: Int, _ status: Int = 200, _ body: String = "null", date: Int64? = 1000, etag: String? = "e1"
        ) {
            transport.answer(
                place, .success(OutboundResponse(status: status, body: Array(body.utf8), date: date, etag: etag)))
        }
    }

    @Test func `an absent entry is written, unless another writer was first`() throws {
        let rig = Rig()
        rig.write(700)
        let url = "https://my-app-default-rtdb.firebaseio.com/metadata/ann/revokeTime.json"
        var request = rig.transport.calls[0].request
        #expect(request.url == url && request.method == .get && request.field("x-firebase-etag") == "true")
        #expect(request.field("authorization") == "Bearer owner")
        rig.answer(0)
        request = rig.transport.calls[1].request
        #expect(request.url == url && request.method == .put && request.bodyText == "700")
        #expect(request.field("if-match") == "e1")
        rig.answer(1, 412, "650", etag: "e2")
        #expect(rig.transport.calls[2].request.method == .get)
        rig.answer(2, 200, "650", etag: "e2")
        #expect(rig.transport.calls[3].request.field("if-match") == "e2")
        rig.answer(3, 200, "700")
        #expect(rig.results.all == [.success(.updated)])
    }

    @Test(arguments: [
        ("700", false), ("701", false), ("699.5", false), ("1e99", false), ("699", true), ("null", true),
        ("\"701\"", true), ("{\"a\":1}", true), ("-1e99", true),
    ])
    func `the larger time wins`(current: String, isWritten: Bool) {
        let rig = Rig()
        rig.write(700)
        rig.answer(0, 200, current)
        #expect(rig.transport.count == (isWritten ? 2 : 1))
        if isWritten { rig.answer(1) }
        #expect(rig.results.all == [.success(isWritten ? .updated : .unchanged)])
    }

    @Test func `a time after Google's clock is not written`() {
        let rig = Rig()
        rig.write(2000)
        rig.answer(0)
        #expect(rig.transport.calls[1].request.bodyText == "1000")
    }

    @Test func `an entry that changes at each attempt fails for its user only`() {
        let rig = Rig()
        rig.write(700)
        for attempt in 0..<3 {
            rig.answer(attempt * 2)
            rig.answer(attempt * 2 + 1, 412)
        }
        #expect(rig.transport.count == 6)
        #expect(
            rig.results.all == [.failure(GoogleCallFailure(reason: "malformed", retryAfter: nil, concernsAll: false))])
    }

    static let errors: [(status: Int, result: Result<WriteBackResult, GoogleCallFailure>)] = [
        (400, .success(.rejected("400"))), (403, .success(.forbidden)), (404, .success(.rejected("404"))),
        (423, .failure(GoogleCallFailure(reason: "status", retryAfter: nil, concernsAll: false))),
        (429, .failure(GoogleCallFailure(reason: "throttled", retryAfter: nil))),
        (307, .failure(GoogleCallFailure(reason: "redirected", retryAfter: nil))),
        (503, .failure(GoogleCallFailure(reason: "status", retryAfter: nil, concernsAll: false))),
    ]

    @Test(arguments: errors.indices, [false, true])
    func `each status has its result, also at the write`(place: Int, isWrite: Bool) {
        let (status, result) = Self.errors[place]
        let rig = Rig()
        rig.write(700)
        if isWrite { rig.answer(0) }
        rig.answer(isWrite ? 1 : 0, status, "")
        #expect(rig.results.all == [result])
        #expect(!rig.log.text.contains("ann"))
    }

    @Test func `a rejected token is replaced once`() {
        let rig = Rig()
        rig.write(700)
        rig.answer(0, 401, #"{"error":"Permission denied"}"#)
        rig.answer(1, 401, #"{"error":"Permission denied"}"#)
        #expect(rig.results.all == [.failure(GoogleCallFailure(reason: "own_credentials", retryAfter: nil))])
    }

    @Test(
        arguments: [
            (nil, "e1", "null"), (1000, nil, "null"), (1000, "e 1", "null"), (1000, "e1", "x"), (1000, "", "null"),
        ] as [(Int64?, String?, String)])
    func `a response without date, version or JSON is not used`(date: Int64?, etag: String?, body: String) {
        let rig = Rig()
        rig.write(700)
        rig.answer(0, 200, body, date: date, etag: etag)
        #expect(rig.transport.count == 1)
        #expect(
            rig.results.all == [.failure(GoogleCallFailure(reason: "malformed", retryAfter: nil, concernsAll: false))])
    }

    @Test(arguments: ["a.b", "a/b", "a$", "a#", "a[", "a]", "a\u{7}", ""])
    func `a uid that cannot be a key is not written`(uid: String) {
        let rig = Rig()
        rig.write(700, uid: uid)
        #expect(rig.transport.count == 0 && rig.results.all == [.success(.unstorable)])
    }

    @Test func `a uid is encoded, and the query of the URL is kept`() {
        let rig = Rig(url: "http://127.0.0.1:9000/?ns={project}-db")
        rig.write(700, uid: "ä %?&")
        #expect(
            rig.transport.calls[0].request.url
                == "http://127.0.0.1:9000/metadata/%C3%A4%20%25%3F%26/revokeTime.json?ns=my-app-db")
    }

    @Test func `nothing is written for a project or a destination that is not configured`() {
        let rig = Rig()
        rig.write(700, to: "other-app")
        let target = WriteBackTarget(project: "my-app", tenant: nil)
        rig.writer.write(AccountUpdate.Payload(uid: "ann", target: target, change: .disabled(true))) {
            rig.results.add($0)
        }
        #expect(rig.results.all == [.success(.unconfigured), .success(.unconfigured)] && rig.transport.count == 0)
    }
}
