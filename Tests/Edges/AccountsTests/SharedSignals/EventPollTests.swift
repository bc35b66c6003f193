import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation
import RevocationStores
import Synchronization
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP
@testable import StoreFixtures

/// The polls of a transmitter's events (RFC 8936).
@Suite struct EventPollTests {
    private static let identity = SecurityEventRig.link.name

    private static func rig(_ change: (inout Configuration.Transmitter) -> Void = { _ in }) throws -> SecurityEventRig {
        try SecurityEventRig {
            $0.poll = Configuration.Poll(url: "https://ssf.corp.example/poll", authorization: Secret("Bearer token"))
            change(&$0)
        }
    }

    private static func event(_ id: String, about subject: String = "user-1", at time: Int64 = 100) -> (String, String)
    {
        let token = SecurityEventRig.token(
            "caep/event-type/session-revoked", subject: SecurityEventRig.makeSubject(subject), id: id
        ).with("iat", "\(SecurityEventRig.now - time)")
        return (id, token.signed())
    }

    private static func response(_ events: [(String, String)], more: Bool = false) -> FakeTransport.Reply {
        let sets = ObjectText.object { sets in for (id, token) in events { sets.add(id, token) } }
        let body = ObjectText.object { body in
            body.add("sets", json: sets)
            if more { body.add("moreAvailable", true) }
        }
        return .success(OutboundResponse(status: 200, body: body))
    }

    private static let empty = response([])
    private static let quiet = #"{"maxEvents":64,"returnImmediately":false}"#

    @Test func `an event is acknowledged in the next poll, after it was stored`() async throws {
        let run = try PollRun(try Self.rig(), [Self.response([Self.event("j-1"), Self.event("j-2")]), Self.empty])
        await run.run()
        #expect(run.bodies.first == Self.quiet)
        #expect(run.bodies.dropFirst().first == #"{"maxEvents":64,"returnImmediately":false,"ack":["j-1","j-2"]}"#)
        #expect(run.bodies.dropFirst(2).first == Self.quiet)
        let request = try #require(run.transport.calls.first?.request)
        #expect(request.url == "https://ssf.corp.example/poll" && request.field("authorization") == "Bearer token")
        #expect(request.field("content-type") == "application/json")
        #expect(try await run.rig.revoked(Self.identity) == SecurityEventRig.now - 100)
        #expect(run.rig.counts == ["corp session-revoked applied 2"])
        #expect(run.poller.status.answered == 2 && run.poller.status.isHolder)
    }

    @Test func `an event that is returned again is acknowledged, and has one effect`() async throws {
        let response = Self.response([Self.event("j-1")])
        let run = try PollRun(try Self.rig(), [response, response])
        await run.run()
        #expect(run.bodies.filter { $0.contains(#""ack":["j-1"]"#) }.count == 2)
        #expect(run.rig.counts == ["corp session-revoked applied 1", "corp session-revoked repeated 1"])
    }

    @Test func `events are processed by their time`() async throws {
        let events = [Self.event("a", at: 10), Self.event("b", at: 30), Self.event("c", at: 20)]
        let run = try PollRun(try Self.rig(), [Self.response(events)])
        await run.run()
        #expect(run.bodies.dropFirst().first?.contains(#""ack":["b","c","a"]"#) == true)
    }

    @Test func `O-33: an invalid event is reported to the transmitter`() async throws {
        let (_, token) = Self.event("j-1")
        let events = [("other", token), ("x", "no token"), ("j-2", Self.event("j-2").1 + "x")]
        let run = try PollRun(try Self.rig(), [Self.response(events)])
        await run.run()
        let body = try JSONDocument(Array(try #require(run.bodies.dropFirst().first).utf8)).root
        #expect(body["ack"] == nil)
        let errors = try #require(body["setErrs"])
        #expect(errors["other"]?["err"]?.string == "invalid_request")
        #expect(errors["x"]?["err"]?.string == "invalid_request")
        #expect(errors["j-2"]?["err"]?.string != nil && errors["j-2"]?["description"]?.string != nil)
        #expect(try await run.rig.store.user(Self.identity) == UserRecord())
    }

    @Test func `an event that cannot be stored is not acknowledged`() async throws {
        let rig = try Self.rig { $0.unknownUsers = 1 }
        try await rig.makeAccount()
        let events = [Self.event("a", about: "x", at: 4), Self.event("b", about: "y", at: 3), Self.event("c", at: 2)]
        let run = try PollRun(rig, [Self.response(events), Self.response([events[1]])])
        await run.run()
        #expect(run.bodies.dropFirst().first?.contains(#""ack":["a","c"]"#) == true)
        #expect(run.bodies.dropFirst(2).first == #"{"maxEvents":65,"returnImmediately":false}"#)
        #expect(run.pauses.prefix(2) == [.milliseconds(100), .seconds(10)])
    }

    @Test func `events about unknown users without a place delay no event about another user`() async throws {
        let rig = try Self.rig { $0.unknownUsers = 1 }
        try await rig.makeAccount()
        let unknown = (0..<64).map { Self.event("u-\($0)", about: "x-\($0)", at: 200 - Int64($0)) }
        let later = Array(unknown.dropFirst()) + [Self.event("known", at: 5)]
        let run = try PollRun(rig, [Self.response(unknown), Self.response(later), Self.empty, Self.empty])
        await run.run()
        #expect(run.bodies.dropFirst().first == #"{"maxEvents":127,"returnImmediately":false,"ack":["u-0"]}"#)
        #expect(run.bodies.dropFirst(2).first == #"{"maxEvents":127,"returnImmediately":false,"ack":["known"]}"#)
        #expect(run.bodies.dropFirst(3).first == Self.quiet, "the transmitter does not return them any more")
        #expect(try await rig.revoked(Self.identity) == SecurityEventRig.now - 5)
        #expect(rig.log.lines.filter { $0.contains("unknown_users") }.count == 63, "not tried again at once")
    }

    @Test func `events about unknown users are tried again after five minutes, after the others`() async throws {
        var state = EventPollState()
        func body(_ ids: [String]) -> [UInt8] {
            let sets = ObjectText.object { sets in
                for id in ids { sets.add(id, Self.event(id, at: id == "held" ? 90 : 10).1) }
            }
            return ObjectText.object { body in
                body.add("sets", json: sets)
                body.add("moreAvailable", true)
            }
        }
        let first = try state.receive(body(["held"]), now: 1)
        #expect(first.events.map(\.id) == ["held"] && !first.hasOnlyMore)
        state.settle(try #require(first.events.first), .full, now: 1)
        let early = try state.receive(body(["held", "new"]), now: .seconds(300))
        #expect(early.events.map(\.id) == ["new"])
        let due = try state.receive(body(["held", "new"]), now: .seconds(301))
        #expect(due.events.map(\.id) == ["new", "held"])
        state.settle(try #require(due.events.last), nil, now: .seconds(301))
        let next = String(decoding: state.body, as: UTF8.self)
        #expect(next == #"{"maxEvents":64,"returnImmediately":false,"ack":["held"]}"#)
        let last = try state.receive(body([]), now: .seconds(302))
        #expect(last.events.isEmpty && last.hasOnlyMore)
    }

    @Test func `a response that is too large is followed by one with half as many events`() async throws {
        let tooLarge = FakeTransport.Reply.failure(LookupFailure(.tooLarge))
        let run = try PollRun(try Self.rig(), [tooLarge, tooLarge, Self.response([Self.event("a")])])
        await run.run()
        for (body, limit) in zip(run.bodies, [64, 32, 16, 16]) { #expect(body.hasPrefix(#"{"maxEvents":\#(limit),"#)) }
    }

    @Test func `events beyond the rate wait`() async throws {
        let rig = try Self.rig { $0.eventsPerSecond = 1 }
        let run = try PollRun(rig, [Self.response([Self.event("a", at: 2), Self.event("b", at: 1)])])
        await run.run()
        #expect(run.bodies.dropFirst().first?.contains(#""ack":["a"]}"#) == true)
        #expect(run.pauses.first == .seconds(1))
    }

    @Test func `acknowledgements are sent again after a failed poll, with growing pauses`() async throws {
        let refused = FakeTransport.Reply.success(OutboundResponse(status: 503, body: []))
        let run = try PollRun(
            try Self.rig(),
            [Self.response([Self.event("a")]), refused, refused, .failure(LookupFailure(.unreachable)), Self.empty])
        await run.run()
        let acknowledging = #"{"maxEvents":64,"returnImmediately":false,"ack":["a"]}"#
        #expect(run.bodies.dropFirst().prefix(4) == Array(repeating: acknowledging, count: 4)[...])
        #expect(run.bodies.dropFirst(5).first == Self.quiet)
        for (pause, longest) in zip(run.pauses.dropFirst(), [1.0, 2, 4]) {
            #expect(pause >= .seconds(longest / 2) && pause <= .seconds(longest))
        }
        #expect(run.poller.status.failed == 4 && run.poller.status.isFailing)
        let lines = run.rig.log.lines.filter { $0.contains("polled") }
        #expect(
            lines == [
                "warning events cannot be polled reason=status 503 transmitter=corp",
                "notice events are polled again transmitter=corp",
                "warning events cannot be polled reason=unreachable transmitter=corp",
            ])
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"sets":[]}"#, #"{"sets":7}"#, #"{"sets":{"a":"b","a":"c"}}"#,
        #"{"sets":{},"x":"\#(String(repeating: "x", count: 2 << 20))"}"#,
    ])
    func `a response that is malformed or too large is a failure`(body: String) async throws {
        let reply = FakeTransport.Reply.success(OutboundResponse(status: 200, body: Array(body.utf8)))
        let run = try PollRun(try Self.rig(), [reply])
        await run.run()
        #expect(run.poller.status.answered == 0 && run.poller.status.failed == 2)
    }

    @Test func `of a response with too many events the first ones are taken`() async throws {
        let events = (0..<70).map { Self.event("j-\($0)") }
        let run = try PollRun(try Self.rig { $0.eventsPerSecond = 100 }, [Self.response(events)])
        await run.run()
        #expect(run.rig.counts == ["corp session-revoked applied 64"])
        let odd = [("\(String(repeating: "j", count: 1025))", "x")]
        let other = try PollRun(try Self.rig(), [Self.response(odd)])
        await other.run()
        #expect(other.bodies.dropFirst().first == Self.quiet)
    }

    @Test func `a gateway without the lease does not poll`() async throws {
        let run = try PollRun(try Self.rig(), [], store: OtherHolder())
        await run.run()
        #expect(run.transport.count == 0 && !run.poller.status.isHolder)
        #expect(run.pauses.allSatisfy { $0 == .seconds(5) } && !run.pauses.isEmpty)
    }

    @Test func `the pause after no event is the interval without the time of the poll`() async throws {
        let rig = try Self.rig { $0.poll?.interval = .seconds(60) }
        let run = try PollRun(rig, [Self.empty, Self.response([], more: true), Self.empty], taking: .seconds(7))
        await run.run()
        #expect(run.pauses.prefix(2) == [.seconds(53), .seconds(53)])
        #expect(run.transport.count == 4)
    }

    @Test func `a poll that the transmitter held until the timeout is no failure`() async throws {
        let timeout = FakeTransport.Reply.failure(LookupFailure(.timedOut))
        let run = try PollRun(try Self.rig(), [timeout, timeout], taking: .seconds(30))
        await run.run()
        #expect(run.poller.status.held == 2 && run.poller.status.failed == 1)
        let quick = try PollRun(try Self.rig(), [timeout], taking: .seconds(5))
        await quick.run()
        #expect(quick.poller.status.held == 0 && quick.poller.status.failed == 2)
    }
}

/// A run of polls: the responses in turn. Further polls fail, and the run ends with the pause after the first of them.
private final class PollRun: Sendable {
    let transport = FakeTransport()
    let rig: SecurityEventRig
    let poller: EventPoller
    private let record = Record()

    private final class Record: Sendable {
        let pauses = Mutex<[Duration]>([])
        let requests = Atomic<Int>(0)
        let time = Atomic<UInt64>(1)
    }

    var pauses: [Duration] { record.pauses.withLock { $0 } }
    var bodies: [String] { transport.calls.map(\.request.bodyText) }

    /// - Parameter taking: The duration of each poll.
    init(
        _ rig: SecurityEventRig, _ responses: [FakeTransport.Reply], store: (any LeaseStore)? = nil,
        taking duration: Duration = .zero
    ) throws {
        self.rig = rig
        let record = record
        transport.always { _ in
            let place = record.requests.wrappingAdd(1, ordering: .relaxed).oldValue
            record.time.wrappingAdd(duration.nanoseconds, ordering: .relaxed)
            return responses.indices.contains(place) ? responses[place] : .failure(LookupFailure(.unreachable))
        }
        let clock = GatewayClock(
            now: { SecurityEventRig.now }, monotonic: { record.time.load(ordering: .relaxed) })
        poller = try #require(
            EventPoller(
                rig.transmitter, events: rig.events, store: store ?? rig.store, transport: transport, clock: clock,
                logger: rig.log.logger
            ) { pause in
                let count = record.pauses.withLock { pauses in
                    pauses.append(pause)
                    return pauses.count
                }
                guard record.requests.load(ordering: .relaxed) <= responses.count, count < 20 else {
                    throw CancellationError()
                }
            })
    }

    func run() async { await poller.run() }
}

/// A store whose leases belong to another gateway.
private struct OtherHolder: LeaseStore {
    func acquireLease(_: String, by _: String, seconds _: Int64) async throws(StoreError) -> Bool { false }
    func releaseLease(_: String, of _: String) async throws(StoreError) {}
}
