import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// Valid and invalid deliveries of security events.
@Suite struct SecurityEventDeliveryTests {
    private static let now = SecurityEventRig.now
    private static let identity = SecurityEventRig.link.name
    private static let token = SecurityEventRig.sessionRevoked

    struct Flaw: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: SecurityEventError.Code
        let change: @Sendable (TokenDraft) -> TokenDraft

        static func claim(_ name: String, _ code: SecurityEventError.Code, _ values: [String?]) -> [Flaw] {
            values.map { value in
                Flaw(testDescription: "\(name): \(value ?? "missing")", code: code) { $0.with(name, value) }
            }
        }

        static func header(_ name: String, _ code: SecurityEventError.Code, _ values: [String?]) -> [Flaw] {
            values.map { value in
                Flaw(testDescription: "header \(name): \(value ?? "missing")", code: code) {
                    $0.withHeader(name, value)
                }
            }
        }

        private static let name = "https://schemas.openid.net/secevent/caep/event-type/session-revoked"

        private static let change = "https://schemas.openid.net/secevent/caep/event-type/credential-change"

        static let all = [
            header("typ", .invalidRequest, [nil, #""JWT""#, #""logout+jwt""#, #""at+jwt""#]),
            header("kid", .invalidKey, [nil, #""another""#, #""""#]),
            header("alg", .invalidKey, [#""none""#, #""HS256""#, #""PS256""#, #""ES256""#]),
            claim("iss", .invalidIssuer, [nil, "7", #""https://id.corp.example""#, #""https://ssf.corp.example/""#]),
            claim("aud", .invalidAudience, [nil, "7", "[]", #""client-1""#, #"["https://api.example.com/"]"#]),
            claim(
                "iat", .invalidRequest,
                [nil, #""1700000000""#, "1.5", "-1", "\(now + 86_401)", "\(now - 2_505_600)"]),
            claim("jti", .invalidRequest, [nil, "7", #""""#, "\"\(String(repeating: "j", count: 1025))\""]),
            claim(
                "events", .invalidRequest,
                [
                    nil, "7", "{}", "[]", #"{"\#(name)":[]}"#, #"{"\#(name)":{},"b":{}}"#,
                    #"{"\#(name)":{"event_timestamp":"soon"}}"#, #"{"\#(name)":{"event_timestamp":-1}}"#,
                    #"{"\#(change)":{}}"#, #"{"\#(change)":{"credential_type":"pin"}}"#,
                    #"{"\#(change)":{"credential_type":"pin","change_type":"other"}}"#,
                ]),
        ].flatMap { $0 }
    }

    @Test(arguments: Flaw.all) func `O-33: an invalid token is rejected`(flaw: Flaw) async throws {
        let rig = try SecurityEventRig()
        let reply = await rig.push(flaw.change(Self.token))
        #expect(reply.rejection == flaw.code, "\(reply.text)")
        #expect(reply.string("err") == flaw.code.rawValue && reply.string("description")?.isEmpty == false)
        #expect(try await rig.store.user(Self.identity) == UserRecord())
        #expect(rig.counts.allSatisfy { $0.hasSuffix(" rejected 1") })
    }

    @Test func `O-33: a forged signature is rejected`() async throws {
        let rig = try SecurityEventRig()
        #expect(await rig.push(Self.token.signed(by: TokenDraft.forgedKey)).rejection == .invalidKey)
        #expect(await rig.push(Self.token.withHeader("alg", #""none""#).unsigned).rejection == .invalidKey)
        // The public key as the secret of an HMAC.
        let parts = Self.token.withHeader("alg", #""HS256""#).unsigned.split(separator: ".")
        let input = Array("\(parts[0]).\(parts[1])".utf8)
        let mac = try #require(HMACSHA256.authenticate(input, secret: Array(TokenDraft.key.jwk.utf8)))
        let forged = String(decoding: input, as: UTF8.self) + "." + Base64URL.encode(mac)
        #expect(await rig.push(forged).rejection == .invalidKey)
    }

    @Test(arguments: [
        ("exp", "1"), ("sub", #""user-2""#), ("nbf", "99999999999"), ("txn", #""t""#), ("toe", "1"),
        ("aud", #"["other","https://api.example.com"]"#), ("iat", "\(now + 86_400)"), ("iat", "\(now - 2_505_599)"),
    ])
    func `exp and other claims are ignored`(name: String, value: String) async throws {
        let rig = try SecurityEventRig()
        #expect(await rig.push(Self.token.with(name, value)).isStored)
        #expect(try await rig.revoked(Self.identity) != nil)
    }

    @Test func `bodies that are no token are rejected`() async throws {
        let rig = try SecurityEventRig()
        let long = Self.token.with("pad", "\"\(String(repeating: "x", count: 16_384))\"").signed()
        for body in ["", "x", "a.b", "{}", long, Self.token.signed() + ".x", "\u{0}"] {
            #expect(await rig.push(body).rejection == .invalidRequest)
        }
        for type in ["", "application/jwt", "application/json", "text/plain"] {
            #expect(await rig.push(Self.token.signed(), contentType: type).rejection == .invalidRequest)
        }
        #expect(rig.counts.allSatisfy { $0.contains("rejected") })
    }

    @Test func `O-33: a repeated delivery has no effect`() async throws {
        let rig = try SecurityEventRig()
        #expect(await rig.push(Self.token).isStored)
        try await rig.store.unrevoke(Self.identity)
        #expect(await rig.push(Self.token).isStored)
        #expect(await rig.push(Self.token.with("iat", "\(Self.now)")).isStored)
        #expect(try await rig.store.user(Self.identity) == UserRecord())
        #expect(rig.counts == ["corp session-revoked applied 1", "corp session-revoked repeated 2"])
        #expect(rig.log.applied.count == 1)
    }

    @Test func `O-33: concurrent deliveries on two gateways take effect once`() async throws {
        let rig = try SecurityEventRig()
        try await rig.makeAccount()
        let gateways = [rig, try SecurityEventRig(rig.store, log: rig.log)]
        let token = Self.token.signed()
        #expect(try await winners(of: 40) { await gateways[$0 % 2].push(token).isStored } == 40)
        #expect(rig.log.applied.count == 1)
        #expect(try await rig.revoked("ada") == Self.now - 100)
    }

    @Test func `an outage asks the transmitter to retry`() async throws {
        let keys = try SecurityEventRig(keys: .unavailable(retryAfter: 7))
        let unavailable = await keys.push(Self.token).denial
        #expect(unavailable?.code == .keysUnavailable && unavailable?.retryAfter == 7)
        #expect(keys.counts == ["corp  failed 1"])
        // The transmitter changed its keys, and they are not fetched again yet.
        let unconfirmed = await (try SecurityEventRig(keys: .unconfirmed(retryAfter: 9))).push(Self.token).denial
        #expect(unconfirmed?.code == .keysUnavailable && unconfirmed?.retryAfter == 9)
        let unknown = await (try SecurityEventRig(keys: .unknown)).push(Self.token)
        #expect(unknown.rejection == .invalidKey)
        let rig = try SecurityEventRig()
        try await rig.store.close()
        #expect(await rig.push(Self.token).denial?.code == .storeUnavailable)
    }

    @Test func `the agreed authorization is required`() async throws {
        let rig = try SecurityEventRig { $0.authorization = Secret("Bearer agreed") }
        for value in [nil, "", "Bearer", "Bearer agreeD", "Bearer agreed ", "agreed"] {
            let reply = await rig.push(Self.token.signed(), authorization: value)
            #expect(reply.rejection == .authenticationFailed)
        }
        #expect(try await rig.store.user(Self.identity) == UserRecord())
        #expect(await rig.push(Self.token.signed(), authorization: "Bearer agreed").isStored)
    }

    @Test func `more events than the configured rate are rejected until later`() async throws {
        let rig = try SecurityEventRig { $0.eventsPerSecond = 3 }
        for number in 1...3 {
            let token = SecurityEventRig.token("caep/event-type/session-revoked", id: "j-\(number)")
            #expect(await rig.push(token).isStored)
        }
        // Repetitions and tokens that are not valid do not count.
        #expect(await rig.push(SecurityEventRig.token("caep/event-type/session-revoked", id: "j-1")).isStored)
        #expect(await rig.push(Self.token.signed(by: TokenDraft.forgedKey)).rejection == .invalidKey)
        let limited = await rig.push(SecurityEventRig.token("caep/event-type/session-revoked", id: "j-4")).denial
        #expect(limited?.code == .overloaded && limited?.retryAfter == 1)
        #expect(rig.counts.contains("corp  limited 1"))
    }

    @Test func `the log names the account, and neither the subject nor an address`() async throws {
        let rig = try SecurityEventRig { $0.emailDomains = ["corp.example"] }
        try await rig.makeAccount(email: "ada@corp.example")
        #expect(await rig.push(Self.token).isStored)
        let subject = #"{"format":"email","email":"secret@corp.example"}"#
        #expect(
            await rig.push(SecurityEventRig.token("caep/event-type/session-revoked", subject: subject, id: "j-2"))
                .isStored)
        #expect(await rig.push(Self.token.with("aud", #""secret""#)).rejection == .invalidAudience)
        #expect(
            rig.log.lines == [
                "notice event applied event=session-revoked request_id=r-1 transmitter=corp uid=ada",
                "warning event not applied event=session-revoked reason=no account has the address request_id=r-1"
                    + " transmitter=corp",
                "info event refused code=invalid_audience reason=aud is not this receiver. request_id=r-1"
                    + " transmitter=corp",
            ])
    }
}
