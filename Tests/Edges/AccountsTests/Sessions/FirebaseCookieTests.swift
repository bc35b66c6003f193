import Authentication
import DevelopmentIdentity
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import Authorization
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP
@testable import StoreFixtures

/// `POST session` with `session_cookie: firebase`, and an Identity Toolkit that the test plays.
@Suite(.timeLimit(.minutes(5))) struct FirebaseCookieTests {
    private let toolkit = FakeTransport()
    private let rig: AccountsRig
    /// The creators of one project with one tenant, of several projects, and of one project.
    private let only: FirebaseSessionCookies
    private let several: FirebaseSessionCookies
    private let single: FirebaseSessionCookies

    init() async throws {
        let log = LogLines()
        let environment = LookupEnvironment(
            transport: toolkit, clock: ManualClock().clock, logger: log.logger, wake: { _, _ in })
        func cookies(_ projects: [String], tenant: String? = nil) -> FirebaseSessionCookies {
            FirebaseSessionCookies(
                url: "https://toolkit.example/{project}:createSessionCookie",
                projects: projects.map {
                    FirebaseSessionCookies.Project(id: $0, tenant: tenant, credential: .emulator)
                }, environment: { environment })
        }
        only = cookies(["my-app"], tenant: "acme")
        several = cookies(["my-app", "other-app"])
        let single = cookies(["my-app"])
        self.single = single
        rig = try await AccountsRig(keysAreKnown: false, parts: { $0.firebaseCookies = single })
    }

    private func answer(_ status: Int, _ body: String, retryAfter: String? = nil) {
        toolkit.always { _ in
            .success(OutboundResponse(status: status, retryAfter: retryAfter, body: Array(body.utf8)))
        }
    }

    private func session(at time: Int64? = nil, _ more: JSONObject = [:]) async throws -> CallAnswer {
        let token = FirebaseToken.idToken(for: .ada, now: rig.now).signedIn(at: time ?? rig.now)
        var body: JSONObject = ["id_token": .string(try token.signed(by: TokenDraft.key))]
        body.merge(more)
        return await rig.call(.session, body)
    }

    @Test func `the session cookie is Firebase's`() async throws {
        answer(200, #"{"sessionCookie":"e30.e30.c2ln"}"#)
        let answer = try await session(["expires_in": 3600])
        #expect(answer.code == "ok" && answer.uid == "ada")
        #expect(answer.cookie == .set(token: "e30.e30.c2ln", maximumAge: 3600))
        let request = try #require(toolkit.calls.first?.request)
        #expect(request.url == "https://toolkit.example/my-app:createSessionCookie")
        #expect(request.field("authorization") == "Bearer owner")
        #expect(request.bodyText.hasPrefix(#"{"idToken":"ey"#))
        #expect(request.bodyText.hasSuffix(#","validDuration":"3600"}"#))
    }

    @Test func `the gateway's session of the request ends, because Firebase's cookie replaces its own`() async throws {
        answer(200, #"{"sessionCookie":"e30.e30.c2ln"}"#)
        let single = single
        let rig = try await AccountsRig(parts: { $0.firebaseCookies = single })
        let earlier = try await rig.signIn(try await rig.proof(.google, .grace))
        let caller = try rig.caller(earlier)
        let token = FirebaseToken.idToken(for: .ada, now: rig.now).signedIn(at: rig.now)
        let body: JSONObject = ["id_token": .string(try token.signed(by: TokenDraft.key))]
        #expect(await rig.call(.session, body, cookie: earlier.token).code == "ok")
        #expect(try await rig.store.session(caller.user, try #require(caller.session)).revoked)
    }

    private func create(_ user: UserKey, by cookies: FirebaseSessionCookies) async -> FirebaseSessionCookies.Outcome {
        await cookies.create(for: user, idToken: "a.b.c", lifetime: 300, network: .unknown)
    }

    @Test func `a cookie is created in the project and tenant of the user`() async throws {
        answer(200, #"{"sessionCookie":"e30.e30.c2ln"}"#)
        #expect(await create("ada", by: only) == .created("e30.e30.c2ln"))
        for tenant in [nil, "acme-x1"] {
            let user = UserKey(uid: "ada", tenant: tenant, project: "other-app")
            #expect(await create(user, by: several) == .created("e30.e30.c2ln"))
        }
        let base = "https://toolkit.example/"
        #expect(
            toolkit.calls.map(\.request.url) == [
                base + "my-app/tenants/acme:createSessionCookie", base + "other-app:createSessionCookie",
                base + "other-app/tenants/acme-x1:createSessionCookie",
            ])
        let outcome = await create(UserKey(uid: "ada", tenant: nil, project: "third-app"), by: several)
        #expect(outcome == .unavailable(reason: "the user's project is not configured", retryAfter: nil))
        #expect(toolkit.count == 3)
        #expect(await create("ada", by: several) == .created("e30.e30.c2ln"))
        #expect(toolkit.calls.last?.request.url == base + "my-app:createSessionCookie")
    }

    @Test func `Identity Toolkit is not called for a token that the gateway rejects`() async throws {
        answer(200, #"{"sessionCookie":"e30.e30.c2ln"}"#)
        #expect(try await session(at: rig.now - 301).code == "auth/requires-recent-login", "I-02")
        for members in [["expires_in": 299], ["expires_in": 1_209_601]] as [JSONObject] {
            #expect(try await session(members).code == "auth/invalid-session-cookie-duration")
        }
        let cookie = try FirebaseToken.sessionCookie(for: .ada, now: rig.now).signed(by: TokenDraft.key)
        for token in [cookie, SessionDraft.signed(), "x"] {
            #expect(await rig.code(.session, ["id_token": .string(token)]) == "auth/invalid-credential")
        }
        try await rig.store.revoke("ada", at: rig.now + 1)
        #expect(try await session().code == "auth/id-token-revoked", "H-01")
        try await rig.store.setDisabled("ada", true)
        #expect(try await session().code == "auth/user-disabled", "H-02")
        #expect(toolkit.count == 0)
    }

    static let failures: [(status: Int, body: String, code: String)] = [
        (400, #"{"error":{"message":"INVALID_ID_TOKEN"}}"#, "auth/invalid-credential"),
        (400, #"{"error":{"message":"TOKEN_EXPIRED : x"}}"#, "auth/invalid-credential"),
        (400, #"{"error":{"message":"USER_DISABLED"}}"#, "auth/user-disabled"),
        (400, "", "auth/store-unavailable"),
        (400, #"{"error":{"message":"QUOTA_EXCEEDED"}}"#, "auth/store-unavailable"),
        (403, #"{"error":{"message":"PERMISSION_DENIED"}}"#, "auth/store-unavailable"),
        (429, "", "auth/store-unavailable"), (503, "", "auth/store-unavailable"),
        (200, "{}", "auth/store-unavailable"),
        (200, #"{"sessionCookie":"a; Domain=evil.example"}"#, "auth/store-unavailable"),
    ]

    @Test(arguments: failures.indices)
    func `errors of Identity Toolkit have documented codes`(place: Int) async throws {
        let (status, body, code) = Self.failures[place]
        answer(status, body)
        let answer = try await session()
        #expect(answer.code == code && answer.cookie == nil)
    }

    @Test func `Retry-After is passed on`() async throws {
        answer(503, "", retryAfter: "7")
        #expect(try await session().denial?.retryAfter == 7)
    }

    @Test func `a cookie that browsers would drop is not set`() async throws {
        answer(200, "{\"sessionCookie\":\"\(String(repeating: "a", count: 4001))\"}")
        let answer = try await session()
        #expect(answer.code == "auth/invalid-credential" && answer.denial?.detail?.contains("claims") == true)
    }
}
