import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import JOSE
import Logging
import RequestPipeline
import Revocation
import RevocationStores
import Synchronization
import Testing

@testable import Accounts
@testable import Authentication
@testable import CoreFixtures
@testable import OutboundHTTP
@testable import StoreFixtures
@testable import SystemFixtures

/// Messages from a sign-in through the flow to the providers and the webhook, in the manual clock's time.
@Suite struct OutboxDeliveryTests {
    private static let key = Secret(String(repeating: "k", count: 32))
    private static let webhook = Configuration.Webhook(
        url: "https://app.example/events", secrets: [Secret(Array(repeating: 1, count: 32))])

    private static let destinations = ["google.com", "apple.com", "github.com", "oidc.corp", "webhook"]

    private let flow: FlowRig
    private let delivery: OutboxDelivery
    /// The keys with which the deliveries open tokens.
    private let keys: Keys
    private var store: SQLiteStore { flow.rig.store }

    private final class Keys: Sendable {
        let value: Mutex<[Secret]>

        init(_ keys: [Secret]) { value = Mutex(keys) }
    }

    init() async throws { try await self.init(opening: [Self.key]) }

    /// - Parameter keys: The keys with which the deliveries open tokens. Flows seal with `key`.
    private init(opening keys: [Secret]) async throws {
        let flow = try await FlowRig.withApps(tokens: TokenSealing([Self.key]))
        self.flow = flow
        let (parts, clock) = (flow.rig.parts, flow.rig.time.clock)
        let opening = Keys(keys)
        self.keys = opening
        let environment = LookupEnvironment(
            transport: flow.transport, clock: clock, logger: flow.rig.log.logger, wake: { _, _ in })
        delivery = OutboxDelivery(
            flow.rig.store, environment: environment, makeMachine: { OutboxMachine(random: { $0 }) },
            destinations: {
                let flows = CodeFlows(
                    parts.settings, FlowRig.providers, transport: flow.transport,
                    tokens: TokenSealing(opening.value.withLock { $0 }), clock: clock)
                return OutboxDestinations(
                    flows: flows, webhook: Self.webhook, transport: flow.transport, clock: clock)
            })
        delivery.adopt(Self.destinations)
        flow.replies.set("/events", 204, "")
    }

    /// Signs a user in. The response of the token endpoint also has the members `tokens`.
    private func signIn(_ provider: String, tokens: String = "") async throws -> UserKey {
        flow.replies.set(
            ".well-known", 200,
            #"""
            {"issuer":"https://corp.example","authorization_endpoint":"https://oidc.corp.example/authorize",
             "token_endpoint":"https://oidc.corp.example/token","revocation_endpoint":"https://oidc.corp.example/revoke"}
            """#)
        let begun = try await flow.begin(provider)
        flow.prepare(begun, provider, .ada)
        if !tokens.isEmpty, case .success(let response)? = flow.replies.reply(ending: "/token") {
            flow.replies.set("/token", 200, String(decoding: response.body.dropLast(), as: UTF8.self) + ",\(tokens)}")
        }
        let answer: CallAnswer
        if provider == "apple.com" {
            let parked = await flow.post(provider, "state=\(begun.state)&code=c")
            let query = String(try #require(parked.location).drop { $0 != "?" }.dropFirst())
            answer = await flow.callback(provider, query, bindings: [begun.binding])
        } else {
            answer = await flow.callback(provider, "state=\(begun.state)&code=c", bindings: [begun.binding])
        }
        return try flow.rig.caller(answer).user
    }

    /// Advances the clock until no message waits.
    private func untilDelivered() async throws {
        _ = try await eventually("an empty outbox") {
            flow.rig.time.advance(seconds: 1)
            delivery.tick()
            return try await waiting().isEmpty ? true : nil
        }
    }

    /// The destinations with waiting messages.
    private func waiting() async throws -> [String] {
        var names: [String] = []
        for name in Self.destinations
        where try await store.pollOutbox(of: name, by: "test", lease: 1, limit: 1).count > 0 {
            names.append(name)
        }
        return names
    }

    private func parked() async throws -> [String] {
        try await delivery.parkedMessages(limit: 9).map { "\($0.message.destination) \($0.reason.rawValue)" }
    }

    /// Advances the clock until a message without a key was parked so many times.
    private func untilParked(_ count: Int) async throws {
        _ = try await eventually("a parked message") {
            flow.rig.time.advance(seconds: 1)
            delivery.tick()
            let lines = flow.rig.log.all.filter { $0.message == "a message of the outbox is parked" }
            let parked = try await parked()
            return lines.count == count && parked == ["google.com token_key"] ? true : nil
        }
    }

    private func lane(_ name: String) throws -> OutboxStatus.Lane { try #require(delivery.status().lanes[name]) }

    private func requests(to suffix: String) -> [OutboundRequest] {
        flow.transport.calls.map(\.request).filter { $0.url.hasSuffix(suffix) }
    }

    @Test(arguments: ["google.com", "oidc.corp", "apple.com", "github.com"])
    func `the deletion of an account revokes its token at the provider`(provider: String) async throws {
        flow.replies.set("/revoke", provider == "github.com" ? 204 : 200, "")
        let user = try await signIn(provider)
        #expect(try await store.deleteAccount(user, unlessChangedFrom: nil) != .absent)
        try await untilDelivered()
        let request = try #require(requests(to: "/revoke").first)
        #expect(request.url == "https://\(provider).example/revoke" && requests(to: "/revoke").count == 1)
        let form = FlowRig.parameters(request.bodyText)
        switch provider {
        case "github.com":
            #expect(request.method == .delete && request.bodyText == #"{"access_token":"gho_1"}"#)
            #expect(request.field("authorization")?.hasPrefix("Basic ") == true)
        case "google.com":
            #expect(form == ["token": "at"] && request.field("authorization") == nil)
        case "apple.com":
            let secret = try UnverifiedJWS(try #require(form["client_secret"]))
            #expect(secret.keyID == "KEY" && form["token"] == "at" && form["token_type_hint"] == "access_token")
            #expect(secret.payload.root["exp"]?.integer.map { $0 > flow.rig.now } == true, "signed for this request")
        default:
            #expect(form["token"] == "at" && request.field("authorization")?.hasPrefix("Basic ") == true)
        }
        #expect(try lane(provider).delivered == 1)
        #expect(!flow.rig.log.text.contains("\"at\""))
    }

    @Test func `the token of an app's flow is kept when the app presents the code`() async throws {
        flow.replies.set("google.com.example/revoke", 200, "")
        flow.replies.set("github.com.example/revoke", 204, "")
        let app = FlowRig.App()
        let caller = try flow.rig.caller(await flow.redeem(.signIn, try await flow.code(of: app), app.verifier))
        let link = try await flow.code(of: app, "github.com", as: .linus, purpose: "link")
        #expect(await flow.redeem(.link, link, app.verifier, by: caller).code == "ok", "\(flow.rig.log.text)")
        #expect(try await store.deleteAccount(caller.user, unlessChangedFrom: nil) != .absent)
        try await untilDelivered()
        #expect(Set(requests(to: "/revoke").map(\.bodyText)) == ["token=at", #"{"access_token":"gho_1"}"#])
    }

    @Test func `a refresh token and a newer access token are both revoked when the identity is unlinked`()
        async throws
    {
        flow.replies.set("/revoke", 200, "")
        let user = try await signIn("google.com", tokens: #""refresh_token":"rt""#)
        #expect(try await signIn("google.com") == user, "without a refresh token")
        _ = try await store.claim(IdentityLink(provider: "github.com", subject: "1"), for: user, unlessUnlinked: false)
        let release = try await store.release(provider: "google.com", of: user)
        if case .released = release {} else { Issue.record("\(release)") }
        try await untilDelivered()
        #expect(Set(requests(to: "/revoke").map(\.bodyText)) == ["token=rt", "token=at"])
        let event = try #require(requests(to: "/events").first)
        #expect(event.bodyText.contains(#""type":"account.unlinked""#), "\(event.bodyText)")
        #expect(event.bodyText.contains(#""identities":{"google.com":""#))
    }

    @Test func `a later refresh token replaces all tokens`() async throws {
        flow.replies.set("/revoke", 200, "")
        let user = try await signIn("google.com", tokens: #""refresh_token":"rt""#)
        _ = try await signIn("google.com")
        _ = try await signIn("google.com", tokens: #""refresh_token":"new""#)
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        try await untilDelivered()
        #expect(requests(to: "/revoke").map(\.bodyText) == ["token=new"])
    }

    @Test(arguments: ["google.com", "github.com"])
    func `an outage delays a revocation, and an unknown token does not count as revoked`(provider: String)
        async throws
    {
        flow.replies.set("/revoke", 503, "")
        let user = try await signIn(provider)
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        _ = try await eventually("a failed delivery") {
            flow.rig.time.advance(seconds: 1)
            delivery.tick()
            return try lane(provider).failed > 0 ? true : nil
        }
        let isGitHub = provider == "github.com"
        flow.replies.set("/revoke", isGitHub ? 404 : 400, isGitHub ? "" : #"{"error":"invalid_token"}"#)
        try await untilDelivered()
        let status = try lane(provider)
        #expect(status.delivered == 0 && status.unknown == 1 && status.parkedCount == 0)
        let line = try #require(flow.rig.log.all.first { $0.message.hasPrefix("a provider does not know a token") })
        #expect(line.metadata["destination"] == "\(provider)")
        #expect(line.metadata["status"] == "\(isGitHub ? 404 : 400)")
    }

    @Test(arguments: [#"{"error":"unsupported_token_type"}"#, "{}", #"{"error":"rejected: at"}"#])
    func `a rejected revocation is parked, and waits again after a retry`(body: String) async throws {
        flow.replies.set("/revoke", 400, body)
        delivery.start()
        let user = try await signIn("google.com")
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        try await untilDelivered()
        #expect(try await parked() == ["google.com rejected"])
        let line = try #require(flow.rig.log.all.first { $0.message == "a message of the outbox is parked" })
        #expect(line.level == .error && line.metadata["status"] == "400")
        let reason = body.contains("unsupported") ? "unsupported_token_type" : "status 400"
        #expect(line.metadata["reason"] == "\(reason)")
        delivery.adopt(Self.destinations)
        try await untilDelivered()
        #expect(try await parked() == ["google.com rejected"], "a reload does not retry it")
        flow.replies.set("/revoke", 200, "")
        #expect(try await delivery.retryMessages(limit: 9) == 1)
        try await untilDelivered()
        #expect(try lane("google.com").delivered == 1)
        #expect(try await parked().isEmpty)
    }

    @Test(arguments: [401, 403, 404, 409, 429])
    func `a failure with a status is logged without a body and a token`(status: Int) async throws {
        flow.replies.set("/events", status, "secret body")
        flow.replies.set("/revoke", 200, "")
        let user = try await signIn("google.com")
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        let line = try await eventually("a line") {
            flow.rig.time.advance(seconds: 1)
            delivery.tick()
            return flow.rig.log.all.first { $0.message.hasPrefix("a message of the outbox could not be delivered") }
        }
        #expect(line.metadata["destination"] == "webhook" && line.metadata["status"] == "\(status)")
        #expect(!flow.rig.log.text.contains("secret body") && !flow.rig.log.text.contains("\"at\""))
    }

    @Test func `a token that no key opens is parked, and revoked when a reload brings the key back`() async throws {
        let suite = try await Self(opening: [Secret(String(repeating: "x", count: 32))])
        suite.flow.replies.set("/revoke", 200, "")
        suite.delivery.start()
        let user = try await suite.signIn("google.com")
        _ = try await suite.store.deleteAccount(user, unlessChangedFrom: nil)
        try await suite.untilParked(1)
        suite.delivery.adopt(Self.destinations)
        try await suite.untilParked(2)
        #expect(suite.requests(to: "/revoke").isEmpty)
        suite.keys.value.withLock { $0.append(Self.key) }
        suite.delivery.adopt(Self.destinations)
        _ = try await eventually("the revocation") {
            suite.flow.rig.time.advance(seconds: 1)
            suite.delivery.tick()
            return suite.requests(to: "/revoke").isEmpty ? nil : true
        }
        try await suite.untilDelivered()
        #expect(try await suite.parked().isEmpty)
    }

    @Test func `a message to a destination without a configuration is parked, and shown`() async throws {
        let user = try await signIn("google.com")
        flow.replies.set("/revoke", 503, "")
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        // Another gateway, after a restart with a configuration of the webhook only.
        let environment = LookupEnvironment(
            transport: flow.transport, clock: flow.rig.time.clock, logger: flow.rig.log.logger, wake: { _, _ in })
        let other = OutboxDelivery(
            store, environment: environment, makeMachine: { OutboxMachine(random: { $0 }) },
            destinations: { [flow] in
                OutboxDestinations(
                    flows: nil, webhook: Self.webhook, transport: flow.transport, clock: flow.rig.time.clock)
            })
        other.adopt(["webhook"])
        other.start()
        let parked = try await eventually("a parked message") {
            flow.rig.time.advance(seconds: 1)
            other.tick()
            return try await other.parkedMessages(limit: 9).first
        }
        #expect(parked.reason == .configuration && parked.message.destination == "google.com")
    }

    @Test func `a slow webhook delays no revocation`() async throws {
        flow.replies.set("/revoke", 200, "")
        let gate = SlowTransport(flow.transport, slow: "/events")
        let environment = LookupEnvironment(
            transport: gate, clock: flow.rig.time.clock, logger: flow.rig.log.logger, wake: { _, _ in })
        let (clock, parts) = (flow.rig.time.clock, flow.rig.parts)
        let flows = CodeFlows(
            parts.settings, FlowRig.providers, transport: flow.transport,
            tokens: TokenSealing([Self.key]), clock: clock)
        let destinations = OutboxDestinations(flows: flows, webhook: Self.webhook, transport: gate, clock: clock)
        let slow = OutboxDelivery(
            store, environment: environment, makeMachine: { OutboxMachine(random: { $0 }) },
            destinations: { destinations })
        slow.adopt(Self.destinations)
        // More events than one poll returns, all due before the revocation.
        for number in 0..<40 {
            let link = IdentityLink(provider: "yahoo.com", subject: "\(number)")
            let user = UserKey("user\(number)")
            _ = try await store.claim(link, for: user, unlessUnlinked: false)
            _ = try await store.release(provider: "yahoo.com", of: user)
        }
        flow.rig.time.advance(seconds: 1)
        let user = try await signIn("google.com")
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        slow.start()
        _ = try await eventually("the revocation") { requests(to: "/revoke").isEmpty ? nil : true }
        _ = try await eventually("events") { gate.waiting == OutboxBounds.concurrency ? true : nil }
        flow.rig.time.advance(seconds: 20)
        slow.tick()
        #expect(slow.status().lanes["webhook"]?.failed == UInt64(OutboxBounds.concurrency))
        #expect(slow.status().lanes["webhook"]?.failing == "timed_out")
        gate.answerAll()
        await slow.stop()
    }

    @Test func `a token that was sealed with a previous key is revoked`() async throws {
        let suite = try await Self(opening: [Secret(String(repeating: "x", count: 32)), Self.key])
        suite.flow.replies.set("/revoke", 200, "")
        let user = try await suite.signIn("google.com")
        _ = try await suite.store.deleteAccount(user, unlessChangedFrom: nil)
        try await suite.untilDelivered()
        #expect(suite.requests(to: "/revoke").count == 1)
    }

    // MARK: - Webhook

    @Test func `an event is signed with each secret, and its content is the same in each delivery`() async throws {
        flow.replies.set("/revoke", 200, "")
        flow.replies.set("/events", 500, "")
        let user = try await signIn("google.com")
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        _ = try await eventually("two deliveries") {
            flow.rig.time.advance(seconds: 1)
            delivery.tick()
            return requests(to: "/events").count > 1 ? true : nil
        }
        let events = requests(to: "/events")
        #expect(Set(events.map(\.bodyText)).count == 1 && Set(events.map { $0.field("webhook-id") }).count == 1)
        let event = try #require(events.first)
        let root = try JSONDocument(event.body, limits: .token).root
        #expect(root["type"]?.equals("account.deleted") == true && root["timestamp"]?.string?.hasSuffix("Z") == true)
        #expect(root["data"]?["uid"]?.equals(user.uid) == true)
        let subject = DevelopmentUser.ada.subject(at: "google.com")
        #expect(root["data"]?["identities"]?["google.com"]?.equals(subject) == true)
        #expect(root["data"]?.members.map { $0.name }.sorted() == ["identities", "uid"], "no address and no name")
    }

    @Test func `an event without a webhook in the configuration is parked`() async throws {
        let message = OutboxMessage(id: "a-1", kind: .event, destination: "webhook", queued: 1, body: "{}")
        let destinations = OutboxDestinations(
            flows: nil, webhook: nil, transport: flow.transport, clock: flow.rig.time.clock)
        #expect(
            await destinations.deliver(message) == .rejected(.configuration, "no webhook is configured"))
        let revocation = OutboxMessage(id: "a-2", kind: .revocation, destination: "google.com", queued: 1, body: "{")
        #expect(await destinations.deliver(revocation) == .rejected(.rejected, "the message is not JSON"))
    }

    @Test func `O-25: an event with a link is not kept after a rejection and after its end`() async throws {
        let clock = flow.rig.time.clock
        func deliver(_ type: String, endsIn seconds: Int64?, webhook: Configuration.Webhook?) async -> OutboxResult {
            let end = seconds.map { ",\"expires_at\":\(clock.now() + $0)" } ?? ""
            let body = #"{"type":"\#(type)","uid":"u","time":5,"email":"n@b.c"\#(end)}"#
            let message = OutboxMessage(id: "a-1", kind: .event, destination: "webhook", queued: 5, body: body)
            return await OutboxDestinations(flows: nil, webhook: webhook, transport: flow.transport, clock: clock)
                .deliver(message)
        }
        let link = "account.email_verification"
        flow.replies.set("/events", 410, "")
        let gone = OutboxResult.Failure("status 410", status: 410)
        #expect(await deliver(link, endsIn: 1, webhook: Self.webhook) == .discarded(gone))
        #expect(
            await deliver("account.email_changed", endsIn: nil, webhook: Self.webhook) == .rejected(.rejected, gone))
        #expect(await deliver(link, endsIn: 1, webhook: nil) == .discarded(.init("no webhook is configured")))
        flow.replies.set("/events", 500, "")
        guard case .failed = await deliver(link, endsIn: 1, webhook: Self.webhook) else {
            Issue.record("a failing receiver may get the link later")
            return
        }
        let sent = requests(to: "/events").count
        #expect(
            await deliver(link, endsIn: 0, webhook: Self.webhook)
                == .discarded(.init("the link in the event has expired")))
        #expect(requests(to: "/events").count == sent)
    }
}
