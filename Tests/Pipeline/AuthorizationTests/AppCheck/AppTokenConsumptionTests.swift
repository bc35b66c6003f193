import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import Logging
import Synchronization
import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP

@Suite struct AppTokenConsumptionTests {
    /// The results of one request.
    private final class Uses: Sendable {
        private let uses = Mutex<[AppTokenUse]>([])
        let interest = LookupInterest()

        var all: [AppTokenUse] { uses.withLock { $0 } }
        func add(_ use: AppTokenUse) { uses.withLock { $0.append(use) } }
    }

    /// A consumer with a clock that the test advances and a Google server that the test plays.
    private struct Rig {
        let transport = FakeTransport()
        let time = ManualClock()
        let log = LogLines()
        let consumer: FirebaseAppCheck

        /// - Parameter token: Whether an access token is already present, valid for an hour. Tests count the calls
        ///   after it.
        init(token: Bool = true) throws {
            var appCheck = AppCheckSample.configuration
            appCheck.consumeTimeout = .milliseconds(1500)
            let key = ServiceAccount.file(pem: try AccountRig.key.get().pem())
            consumer = FirebaseAppCheck(
                appCheck, credential: .serviceAccount(try ServiceAccount(json: key, name: "sa.json")),
                environment: LookupEnvironment(
                    transport: transport, clock: time.clock, logger: log.logger, wake: { _, _ in }))
            guard token else { return }
            consumer.start()
            answerToken(0)
        }

        func consume(_ token: String = "a.b.c") -> Uses {
            let uses = Uses()
            consume(token, while: uses.interest, uses)
            return uses
        }

        func consume(_ token: String, while interest: LookupInterest, _ uses: Uses) {
            let expiry = UnixTime(clamping: ManualClock.start + 300)
            consumer.consume(Array(token.utf8), expiringAt: expiry, for: .unknown, while: interest) { uses.add($0) }
        }

        func answerToken(_ place: Int, _ token: String = "at-1") {
            transport.answer(place, #"{"access_token":"\#(token)","expires_in":3600,"token_type":"Bearer"}"#)
        }
    }

    @Test func `a token is consumed by a call with the scope of Firebase`() throws {
        let rig = try Rig()
        let grant = rig.transport.calls[0].request.bodyText
        let assertion = try #require(grant.split(separator: "assertion=").last).split(separator: ".")
        let claims = String(decoding: try #require(Base64URL.decode(String(assertion[1]))), as: UTF8.self)
        #expect(claims.contains(#""scope":"https://www.googleapis.com/auth/firebase""#))
        let uses = rig.consume()
        let call = rig.transport.calls[1]
        #expect(
            call.request.url
                == "https://firebaseappcheck.googleapis.com/v1beta/projects/123456789012:verifyAppCheckToken")
        #expect(call.request.bodyText == #"{"app_check_token":"a.b.c"}"# && call.timeout == .milliseconds(1500))
        #expect(call.request.field("authorization") == "Bearer at-1")
        rig.transport.answer(1, "{}")
        #expect(uses.all == [.first])
    }

    static let responses: [(status: Int, body: String, use: AppTokenUse)] = [
        (200, "{}", .first), (200, #"{"alreadyConsumed":false}"#, .first), (200, #"{"other":1}"#, .first),
        (200, #"{"alreadyConsumed":true}"#, .repeated), (400, "{}", .refused),
        (200, "", failure("malformed")), (200, "[]", failure("malformed")), (200, "<html>", failure("malformed")),
        (200, #"{"alreadyConsumed":"true"}"#, failure("malformed")), (200, #"{"error":{}}"#, failure("malformed")),
        (200, #"{"alreadyConsumed":null}"#, failure("malformed")), (204, "", failure("status")),
        (302, "", failure("redirected")), (403, "{}", failure("status")), (404, "{}", failure("status")),
        (429, "", failure("throttled")), (500, "{}", failure("status")), (503, "{}", failure("status")),
    ]

    private static func failure(_ reason: String) -> AppTokenUse { .unavailable(reason: reason, retryAfter: nil) }

    @Test(arguments: responses.indices)
    func `only an explicit response is a first use`(place: Int) throws {
        let (status, body, use) = Self.responses[place]
        let rig = try Rig()
        let uses = rig.consume()
        rig.transport.answer(1, status, body)
        #expect(uses.all == [use])
        #expect(!rig.log.text.contains("a.b.c") && !rig.log.text.contains("at-1"))
    }

    @Test func `two requests with one token have a call each, and a later one has none`() throws {
        let rig = try Rig()
        let (one, other) = (rig.consume(), rig.consume())
        #expect(rig.transport.count == 3)
        rig.transport.answer(2, "{}")
        rig.transport.answer(1, #"{"alreadyConsumed":true}"#)
        #expect(one.all == [.repeated] && other.all == [.first])
        #expect(rig.consume().all == [.repeated] && rig.transport.count == 3)
    }

    @Test(arguments: ["{}", #"{"alreadyConsumed":true}"#])
    func `the replay of a consumed token needs no call until the token expires`(body: String) throws {
        let rig = try Rig()
        let first = rig.consume()
        rig.transport.answer(1, body)
        #expect(first.all.count == 1)
        for _ in 0..<3 {
            #expect(rig.consume().all == [.repeated])
            rig.time.advance(seconds: 99)
        }
        #expect(rig.transport.count == 2)
        _ = rig.consume("x.y.z")
        #expect(rig.transport.count == 3, "another token")
        rig.time.advance(seconds: 4)
        _ = rig.consume()
        #expect(rig.transport.count == 4, "the token has expired")
    }

    @Test(arguments: [200, 400, 403])
    func `without a certain consumption, the next request has a call`(status: Int) throws {
        let rig = try Rig()
        let first = rig.consume()
        rig.transport.answer(1, status, "[]")
        #expect(first.all.count == 1)
        rig.time.advance(seconds: 10)
        #expect(rig.consume().all.isEmpty && rig.transport.count == 3)
    }

    @Test func `the number of known tokens is bounded, and the first one is forgotten`() {
        let tokens = ConsumedAppTokens(capacity: 2)
        for byte in UInt8(0)...2 { tokens.insert([byte], until: 100) }
        #expect((UInt8(0)...3).map { tokens.contains([$0], now: 99) } == [false, true, true, false])
        #expect((UInt8(0)...3).map { tokens.contains([$0], now: 100) } == [false, false, false, false])
    }

    @Test func `a call with an unknown result is not repeated`() throws {
        let rig = try Rig()
        let uses = rig.consume()
        rig.transport.answer(1, .failure(LookupFailure(.timedOut)))
        #expect(uses.all == [.unavailable(reason: "timed_out", retryAfter: nil)])
        #expect(rig.transport.count == 2)
        // The next ones wait for the end of the pause.
        #expect(rig.consume().all == [.unavailable(reason: "timed_out", retryAfter: 1)])
        #expect(rig.transport.count == 2)
        rig.time.advance(seconds: 1.1)
        _ = rig.consume()
        #expect(rig.transport.count == 3)
    }

    @Test func `a rejected access token is renewed once, with the same App Check token`() throws {
        let rig = try Rig()
        let uses = rig.consume()
        rig.transport.answer(1, 401, "{}")
        rig.answerToken(2, "at-2")
        let call = rig.transport.calls[3].request
        #expect(call.field("authorization") == "Bearer at-2" && call.bodyText.contains("a.b.c"))
        rig.transport.answer(3, 401, "{}")
        #expect(uses.all == [.unavailable(reason: "own_credentials", retryAfter: nil)])
        #expect(rig.log.all.contains { $0.level == .error })
    }

    @Test func `a rejected token does not pause the calls for other tokens`() throws {
        let rig = try Rig()
        _ = rig.consume("x.y.z")
        rig.transport.answer(1, 403, "{}")
        let uses = rig.consume()
        rig.transport.answer(2, "{}")
        #expect(uses.all == [.first])
    }

    @Test func `concurrent calls are bounded, and a request waits at most five seconds`() throws {
        let rig = try Rig()
        let running = (0..<ConsumptionBounds.concurrency).map { _ in rig.consume() }
        let waiting = rig.consume()
        #expect(rig.transport.count == 1 + ConsumptionBounds.concurrency)
        let late = rig.consume()
        rig.transport.answer(1, "{}")
        #expect(rig.transport.count == 2 + ConsumptionBounds.concurrency && running[0].all == [.first])
        #expect(waiting.all.isEmpty)
        rig.time.advance(seconds: 5.1)
        rig.consumer.tick()
        #expect(late.all == [.unavailable(reason: "too many requests wait", retryAfter: nil)])
    }

    @Test func `a queued call is dropped if its request no longer waits`() throws {
        let rig = try Rig()
        let running = (0..<ConsumptionBounds.concurrency).map { _ in rig.consume() }
        let gone = Uses()
        rig.consume("gone", while: LookupInterest(), gone)
        let waiting = rig.consume("waiting")
        rig.transport.answer(1, "{}")
        #expect(running[0].all == [.first])
        #expect(rig.transport.calls.last?.request.bodyText.contains("waiting") == true)
        #expect(rig.transport.count == 2 + ConsumptionBounds.concurrency && gone.all.isEmpty)
        #expect(rig.consumer.status().waiting == 0)
        rig.transport.answer(1 + ConsumptionBounds.concurrency, "{}")
        #expect(waiting.all == [.first])
    }

    @Test func `a running call ends although its request no longer waits`() throws {
        let rig = try Rig()
        let uses = Uses()
        rig.consume("a.b.c", while: LookupInterest(), uses)
        rig.transport.answer(1, "{}")
        #expect(uses.all == [.first] && rig.consumer.status().running == 0)
    }

    @Test func `without an access token nothing is consumed`() throws {
        let rig = try Rig(token: false)
        let uses = rig.consume()
        rig.transport.answer(0, 400, #"{"error":"invalid_grant"}"#)
        #expect(uses.all == [.unavailable(reason: "own_credentials", retryAfter: 1)])
        #expect(rig.transport.count == 1 && !rig.consumer.status().hasCredentials)
    }

    @Test func `at shutdown each request gets one result`() async throws {
        let rig = try Rig()
        let uses = rig.consume()
        await rig.consumer.shutdown()
        let stopped = AppTokenUse.unavailable(reason: "the gateway is stopping", retryAfter: nil)
        rig.transport.answer(1, "{}")
        #expect(uses.all == [stopped] && rig.consume().all == [stopped] && rig.transport.isShutDown)
    }
}
