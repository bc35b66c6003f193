import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import JOSE
import Logging
import RequestPipeline
import Revocation
import RevocationStores
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

    private let flow: FlowRig
    private let delivery: OutboxDelivery
    private var store: SQLiteStore { flow.rig.store }

    init() async throws { try await self.init(opening: [Self.key]) }

    /// - Parameter keys: The keys with which the deliveries open tokens. Flows seal with `key`.
    private init(opening keys: [Secret]) async throws {
        let flow = try await FlowRig.withApps(tokens: TokenSealing([Self.key]))
        self.flow = flow
        let (parts, clock) = (flow.rig.parts, flow.rig.time.clock)
        let flows = CodeFlows(
            parts.settings, FlowRig.providers, transport: flow.transport,
            verifiers: VerifierTable.make(of: AccountsRig.identity, hasSessions: true).0, tokens: TokenSealing(keys),
            clock: clock)
        let destinations = OutboxDestinations(
            flows: flows, webhook: Self.webhook, transport: flow.transport, clock: clock)
        let environment = LookupEnvironment(
            transport: flow.transport, clock: clock, logger: flow.rig.log.logger, wake: { _, _ in })
        delivery = OutboxDelivery(
            flow.rig.store, environment: environment, machine: OutboxMachine(random: { $0 }),
            destinations: { destinations })
        flow.rig.store.outbox.set(OutboxSwitch.Policy(limit: 100, sendsEvents: true, added: { _ in }))
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
            return try await store.pollOutbox(by: "test", lease: 1, limit: 1).count == 0 ? true : nil
        }
    }

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
        #expect(delivery.status().revocations.delivered == 1)
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

    @Test func `a refresh token is kept in place of access tokens, and revoked when its identity is unlinked`()
        async throws
    {
        flow.replies.set("/revoke", 200, "")
        let user = try await signIn("google.com", tokens: #""refresh_token":"rt""#)
        #expect(try await signIn("google.com") == user, "without a refresh token")
        _ = try await store.claim(IdentityLink(provider: "github.com", subject: "1"), for: user, unlessUnlinked: false)
        let release = try await store.release(provider: "google.com", of: user)
        if case .released = release {} else { Issue.record("\(release)") }
        try await untilDelivered()
        #expect(requests(to: "/revoke").map(\.bodyText) == ["token=rt"])
        let event = try #require(requests(to: "/events").first)
        #expect(event.bodyText.contains(#""type":"account.unlinked""#), "\(event.bodyText)")
        #expect(event.bodyText.contains(#""identities":{"google.com":""#))
    }

    @Test func `an outage delays a revocation, and an invalid token needs none`() async throws {
        flow.replies.set("/revoke", 503, "")
        let user = try await signIn("google.com")
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        _ = try await eventually("a failed delivery") {
            flow.rig.time.advance(seconds: 1)
            delivery.tick()
            return delivery.status().revocations.failed > 0 ? true : nil
        }
        flow.replies.set("/revoke", 400, #"{"error":"invalid_token"}"#)
        try await untilDelivered()
        #expect(delivery.status().revocations.delivered == 1 && delivery.status().revocations.parked == 0)
    }

    @Test(arguments: [#"{"error":"unsupported_token_type"}"#, "{}"])
    func `a rejected revocation is parked, and waits again after a retry`(body: String) async throws {
        flow.replies.set("/revoke", 400, body)
        let user = try await signIn("google.com")
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        try await untilDelivered()
        #expect(try await store.parkedMessages(limit: 9).map(\.destination) == ["google.com"])
        #expect(flow.rig.log.all.contains { $0.level == .error && $0.message == "a message of the outbox is parked" })
        flow.replies.set("/revoke", 200, "")
        #expect(try await store.retryMessages(limit: 9) == 1)
        try await untilDelivered()
        #expect(delivery.status().revocations.delivered == 1)
        #expect(try await store.parkedMessages(limit: 9).isEmpty)
    }

    @Test func `a token that was sealed with a removed key is parked`() async throws {
        let suite = try await Self(opening: [Secret(String(repeating: "x", count: 32))])
        let user = try await suite.signIn("google.com")
        _ = try await suite.store.deleteAccount(user, unlessChangedFrom: nil)
        try await suite.untilDelivered()
        #expect(suite.requests(to: "/revoke").isEmpty && suite.delivery.status().revocations.parked == 1)
    }

    @Test func `a token that was sealed with a previous key is revoked`() async throws {
        let suite = try await Self(opening: [Secret(String(repeating: "x", count: 32)), Self.key])
        suite.flow.replies.set("/revoke", 200, "")
        let user = try await suite.signIn("google.com")
        _ = try await suite.store.deleteAccount(user, unlessChangedFrom: nil)
        try await suite.untilDelivered()
        #expect(suite.requests(to: "/revoke").count == 1)
    }

    @Test func `a sealed token opens only for its identity`() throws {
        let sealing = try #require(TokenSealing([Self.key]))
        let token = GrantedToken(text: "t", isRefreshToken: true, clientID: "c")
        let kept = try #require(sealing.seal(token, of: .apple("1")))
        #expect(kept.text.hasPrefix("r:") && !kept.text.contains("\"t\""))
        #expect(sealing.open(kept.text, of: .apple("1")) == token)
        #expect(sealing.open(kept.text, of: .apple("2")) == nil && sealing.open(kept.text, of: .google("1")) == nil)
        #expect(sealing.open("r:x", of: .apple("1")) == nil && sealing.open("", of: .apple("1")) == nil)
        let long = GrantedToken(text: String(repeating: "t", count: 8_192), isRefreshToken: true, clientID: "c")
        #expect(sealing.seal(long, of: .apple("1")) == nil)
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
        #expect(await destinations.deliver(message) == .rejected("no webhook is configured"))
        let revocation = OutboxMessage(id: "a-2", kind: .revocation, destination: "google.com", queued: 1, body: "{")
        #expect(await destinations.deliver(revocation) == .rejected("the message is not JSON"))
    }

    /// The snippet in the manual, with Python.
    @Test func `the code in the manual accepts signed events and rejects others`() throws {
        let block = try MarkdownPage("docs/guides/account-webhook.md").blocks.first {
            $0.comment == "A test runs this code."
        }
        let folder = try ScratchFolder()
        let call = "\nimport sys\nprint(verify(sys.argv[1].split(), eval(sys.argv[2]), sys.argv[3].encode()))\n"
        try folder.write(try #require(block).text + call, to: "verify.py")
        let secrets = [Array(repeating: UInt8(1), count: 32), Array(repeating: UInt8(2), count: 24)]
        let receiver = Configuration.Webhook(url: "https://a.example", secrets: secrets.map { Secret($0) })
        let message = OutboxMessage(id: "a-1", kind: .event, destination: "webhook", queued: 1, body: "")
        let body = #"{"type":"account.deleted","uid":"ü","time":5,"identities":{}}"#
        let content = try JSONDocument(Array(body.utf8), limits: .token)
        let event = try #require(WebhookEvent(message, content.root))
        let now = GatewayClock.system.now()
        func verify(_ secrets: [[UInt8]], age: Int64 = 0, _ change: String = "") throws -> String {
            let request = try #require(event.request(to: receiver, at: UnixTime(clamping: now - age)))
            let fields = request.fields.map { "'\($0.name)': '\($0.value)'" }.joined(separator: ", ")
            let names = secrets.map { "whsec_\(BasicCredentials.base64($0))" }.joined(separator: " ")
            let output = try Program.run(
                "python3", ["verify.py", names, "{\(fields)}", request.bodyText + change], in: folder.path)
            return String(output.prefix { $0 != "\n" })
        }
        #expect(try verify([secrets[0]]) == "True" && verify([secrets[1]]) == "True")
        #expect(try verify([Array(repeating: 3, count: 32), secrets[1]]) == "True", "a receiver during a rotation")
        #expect(try verify([Array(repeating: 3, count: 32)]) == "False")
        #expect(try verify([secrets[0]], " ") == "False" && verify([secrets[0]], age: 3_600) == "False")
    }
}

extension FlowReplies {
    /// The response to URLs with this end.
    func reply(ending suffix: String) -> FakeTransport.Reply? {
        let request = OutboundRequest(method: .get, url: "https://x\(suffix)", fields: [])
        return reply(to: request)
    }
}
