import DevelopmentIdentity
import Foundation
import JOSE
import Synchronization
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// Messages about a deleted account, on two gateways that share one Redis.
struct OutboxRunTests {
    private static let secret = "whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="

    @Test func `O-26: revocations and events survive an outage and a crash, and no gateway accepts the account`()
        async throws
    {
        let (provider, application) = (try await Receiver(), try await Receiver())
        let redis = try await RedisServer()
        let folder = try ScratchFolder()
        let key = folder.path("session.pem")
        try Data(SigningKey.generate(.es256, keyID: "").pem()).write(to: URL(fileURLWithPath: key))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        try await Fleet.run(
            2, store: redis.store,
            arrangeWith: { identity, configuration in
                configuration.offerFlows(
                    identity,
                    more: """
                        , session_key: '\(key)', token_keys: \(String(repeating: "k", count: 32)),
                        webhook: { url: '\(application.url)', secret: '\(Self.secret)' }
                        """)
                configuration["identity"] = configuration["identity"]?.replacing(
                    "oidc.corp: {", with: "oidc.corp: { revoke_at_provider: true, revocation_url: '\(provider.url)',")
            }
        ) { fleet in
            var browser = FlowBrowser(fleet.gateways)
            try browser.signIn("oidc.corp", as: "grace")
            let session = try #require(browser.session)
            let uid = try #require(try browser.identity()?["X-Auth-Uid"])
            let stored = try redis.cli("HGETALL", "gatehouse:account:{\(uid)}")
            #expect(stored.contains("token:oidc.corp\na:"), "sealed: \(stored)")

            let deletion = WireRequest.post("/.gatehouse/account/delete", "Cookie: __session=\(session)")
            #expect(try fleet.first.send(deletion).status == 204)
            for gateway in fleet.gateways {
                #expect(try gateway.send(.cookie(session, "/strict/x")).status == 401)
            }
            try await fleet.eventuallyAll(.cookie(session, "/me/x"), 401)
            _ = try await eventually("failed deliveries") {
                provider.refused > 0 && application.refused > 0 ? true : nil
            }

            for gateway in fleet.gateways { await gateway.gateway.kill() }
            for receiver in [provider, application] { receiver.setDown(false) }
            // The lease of the killed gateway expires within a minute.
            for name in ["oidc.corp", "webhook"] { try redis.cli("DEL", "gatehouse:outbox:{\(name)}:lease") }
            for gateway in fleet.gateways { try await gateway.gateway.start() }
            _ = try await eventually("the deliveries; \(fleet.first.gateway.errors)") {
                provider.accepted.isEmpty || application.accepted.isEmpty ? nil : true
            }
            #expect(provider.accepted.allSatisfy { $0.body.hasPrefix("token=") && !$0.body.contains("a:") })
            let event = try #require(application.accepted.first)
            #expect(event.body.contains(#""type":"account.deleted""#) && event.body.contains(#""uid":"\#(uid)""#))
            #expect(
                event.body.contains(#""oidc.corp":""#) && event.head.lowercased().contains("webhook-signature: v1,"))
            _ = try await eventually("an empty outbox") {
                try fleet.first.gateway.metric("gatehouse_outbox_messages") == 0 ? true : nil
            }
            #expect(
                try redis.cli("KEYS", "gatehouse:outbox*").split(separator: "\n").allSatisfy {
                    $0.hasSuffix(":lease") || $0.hasSuffix(":destinations")
                })
            for gateway in fleet.gateways {
                try await gateway.gateway.ready()
                #expect(try gateway.send(.cookie(session, "/me/x")).status == 401)
                let outbox = try gateway.admin("GET", "/v1/outbox")
                #expect(outbox.status == 200 && outbox.text.contains(#""parked":0"#), "\(outbox.text)")
            }
        }
        withExtendedLifetime(folder) {}
        for receiver in [provider, application] { try await receiver.close() }
    }

    @Test func `an event of GitHub's webhook ends the session of its user`() async throws {
        let secret = "webhook-secret-0123456789"
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.offerFlows(provider)
            configuration["identity"] = configuration["identity"]?.replacing(
                "github.com: {", with: "github.com: { webhook_secret: \(secret),")
        }) { scenario in
            var browser = FlowBrowser([scenario])
            try browser.signIn("github.com", as: "linus")
            let session = try #require(browser.session)
            let subject = DevelopmentUser.linus.subject(at: "github.com")
            let body = Array(#"{"action":"revoked","sender":{"id":\#(subject)}}"#.utf8)
            let code = try #require(HMACSHA256.authenticate(body, secret: Array(secret.utf8)))
            let signature = code.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            func send(_ signature: String) throws -> Int {
                var request = WireRequest.post("/.gatehouse/events/github", body: body)
                request.fields += [
                    "Content-Type: application/json", "X-GitHub-Event: github_app_authorization",
                    "X-Hub-Signature-256: sha256=\(signature)",
                ]
                return try scenario.send(request).status
            }
            #expect(try send("00" + signature.dropFirst(2)) == 400)
            #expect(try scenario.send(.cookie(session, "/strict/x")).status == 200)
            // A revocation does not end a session of the same second.
            _ = try await eventually("a revoked session") {
                #expect(try send(signature) == 200)
                return try scenario.send(.cookie(session, "/strict/x")).status == 401 ? true : nil
            }
            #expect(try scenario.send(.get("/.gatehouse/events/facebook-deletion")).status == 404)
        }
    }
}

/// A receiver of requests that responds with 503 until it is up.
final class Receiver: Sendable {
    private struct State {
        var isDown = true
        var refused = 0
        var accepted: [MisbehavingSource.Request] = []
    }

    private final class Box: Sendable {
        let value = Mutex(State())
    }

    private let state: Box
    private let source: MisbehavingSource

    init() async throws {
        let state = Box()
        self.state = state
        source = try await MisbehavingSource { request in
            state.value.withLock { state in
                guard !state.isDown else {
                    state.refused += 1
                    return .send(httpAnswer(status: "503 Service Unavailable", []))
                }
                state.accepted.append(request)
                return .send(httpAnswer([]))
            }
        }
    }

    var url: String { source.url }
    var refused: Int { state.value.withLock { $0.refused } }
    var accepted: [MisbehavingSource.Request] { state.value.withLock { $0.accepted } }

    func setDown(_ isDown: Bool) { state.value.withLock { $0.isDown = isDown } }

    func close() async throws { try await source.close() }
}
