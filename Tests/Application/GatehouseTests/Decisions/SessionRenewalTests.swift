import Accounts
import GatewayConfiguration
import GatewayCore
import JOSE
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import GatewayFixtures
@testable import Revocation
@testable import SystemFixtures

/// The renewal of session cookies by forwarded requests, and the lines that set and clear them.
@Suite struct ForwardedRenewalTests {
    /// A response of the upstream with further field lines.
    private static func response(_ fields: [String]) -> String {
        let lines = ["HTTP/1.1 200 OK", "Content-Length: 2", "Connection: close"] + fields
        return lines.joined(separator: "\r\n") + "\r\n\r\nok"
    }

    /// A cookie of a session that lasts for ten more days and was issued some seconds ago.
    private static func cookie(age: Int64, exp: Int64 = 900) -> String {
        let now = ManualClock.start
        return SessionDraft.signed {
            $0.with("iat", "\(now - age)").with("exp", "\(now + exp)")
                .withHeader("src", SessionDraft.source(more: #","ends":\#(now + 864_000)"#))
        }
    }

    private func rig(idle: Int64? = 1000) throws -> RequestPathRig {
        let rig = try RequestPathRig {
            $0.accounts = Configuration.Accounts()
            $0.accounts?.sessionIdle = idle.map { .seconds($0) }
            $0.identity.credentials.cookie = "__Host-Http-session"
            $0.identity.credentials.previousCookies = ["__session"]
        }
        try rig.installKeys()
        let keys = try SessionDraft.keys()
        try rig.onWorker { $0.install(keys) }
        return rig
    }

    private func cookies(
        _ rig: RequestPathRig, _ cookie: String, name: String = "__Host-Http-session", path: String = "/private/x",
        response: String = Self.response([]), meanwhile: () throws -> Void = {}
    ) throws -> (set: [String], caching: [String]) {
        let client = try rig.connect()
        try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nCookie: \(name)=\(cookie)\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try meanwhile()
        try server.send(response)
        let message = try client.readMessage()
        #expect(message.status == 200 || message.status == 304)
        return (message.values("Set-Cookie"), message.values("Cache-Control"))
    }

    @Test func `a request renews a cookie that is old enough`() throws {
        let rig = try rig()
        let (set, caching) = try cookies(rig, Self.cookie(age: 100))
        #expect(set.count == 2 && caching == ["private"])
        let line = try #require(set.first)
        #expect(line.hasPrefix("__Host-Http-session=eyJ"))
        #expect(line.hasSuffix("; Max-Age=1000; Path=/; HttpOnly; Secure; SameSite=Lax"))
        let value = line.dropFirst("__Host-Http-session=".count).prefix { $0 != ";" }
        let claims = try UnverifiedJWS(String(value)).payload.root
        #expect(claims["exp"]?.integer == ManualClock.start + 1000 && claims["iat"]?.integer == ManualClock.start)
        #expect(claims["auth_time"]?.integer == ManualClock.start - 100)
        #expect(claims["sid"]?.string == SessionDraft.session)
        #expect(set.last == "__session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax")
        // The new cookie is accepted.
        #expect(try cookies(rig, String(value)).set.isEmpty)
    }

    @Test func `a cookie is renewed at most once in a tenth of the idle time`() throws {
        let rig = try rig()
        let cookie = Self.cookie(age: 50)
        #expect(try cookies(rig, cookie).set.isEmpty)
        try rig.pass(seconds: 49)
        #expect(try cookies(rig, cookie).set.isEmpty)
        try rig.pass(seconds: 1)
        #expect(try cookies(rig, cookie).set.count == 2)
        // Another request of a client that does not use the new cookie.
        try rig.pass(seconds: 99)
        #expect(try cookies(rig, cookie).set.isEmpty)
        try rig.pass(seconds: 1)
        #expect(try cookies(rig, cookie).set.count == 2)
    }

    @Test(arguments: [
        ["Cache-Control: public"], ["Cache-Control: max-age=60"], ["Cache-Control: private, max-age=60"],
        ["Cache-Control: no-store, s-maxage=0"], ["Cache-Control: private", "Cache-Control: Immutable"],
        ["Cache-Control: no-cache"], ["Cache-Control: private=\"set-cookie\""], ["Cache-Control:"],
        ["Expires: Thu, 01 Jan 2099 00:00:00 GMT"], ["CDN-Cache-Control: max-age=60", "Cache-Control: no-store"],
        ["Example-CDN-Cache-Control: max-age=60"], ["Surrogate-Control: max-age=60"], ["X-Accel-Expires: 60"],
    ])
    func `a response that a shared cache may store renews no cookie, and the next one does`(fields: [String]) throws {
        let rig = try rig()
        let cookie = Self.cookie(age: 100)
        let (set, caching) = try cookies(rig, cookie, response: Self.response(fields))
        #expect(set.isEmpty && caching.count == fields.count { $0.hasPrefix("Cache-Control") })
        #expect(try cookies(rig, cookie).set.count == 2)
    }

    @Test(arguments: [
        ["Cache-Control: Private"], ["Cache-Control: max-age=0, private, must-revalidate"],
        ["Cache-Control: no-cache, no-store, max-age=0, must-revalidate", "Expires: 0"],
    ])
    func `a response that no shared cache may store keeps its Cache-Control`(fields: [String]) throws {
        let (set, caching) = try cookies(try rig(), Self.cookie(age: 100), response: Self.response(fields))
        #expect(set.count == 2 && caching == [String(fields[0].dropFirst("Cache-Control: ".count))])
    }

    @Test func `a 304 response renews no cookie`() throws {
        let rig = try rig()
        let response = "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n"
        let (set, caching) = try cookies(rig, Self.cookie(age: 100), response: response)
        #expect(set.isEmpty && caching.isEmpty)
        #expect(try cookies(rig, Self.cookie(age: 100)).set.count == 2)
    }

    @Test(arguments: ["__Host-Http-session=; Max-Age=0", "__session =x; Path=/"])
    func `a cookie of that name from the upstream has precedence`(line: String) throws {
        let rig = try rig()
        let (set, caching) = try cookies(
            rig, Self.cookie(age: 100), response: Self.response(["Set-Cookie: \(line)"]))
        #expect(set == [line] && caching.isEmpty)
        let other = try cookies(rig, Self.cookie(age: 100), response: Self.response(["Set-Cookie: __session2=a"]))
        #expect(other.set.count == 3)
    }

    @Test func `a session that ended since the request was forwarded is not renewed`() throws {
        let rig = try rig()
        let (set, caching) = try cookies(rig, Self.cookie(age: 100)) {
            let user = UserKey(uid: "user-1", tenant: nil)
            let key = try StoreKey(user, session: SessionDraft.session, hasher: .required())
            rig.view.setSession(try #require(key), to: RecordWord(SessionRecord(revoked: true)))
        }
        #expect(set.isEmpty && caching.isEmpty)
    }

    @Test func `a slow response does not renew a cookie that was renewed meanwhile`() throws {
        let rig = try rig()
        let cookie = Self.cookie(age: 100)
        var other: [String] = []
        let (set, _) = try cookies(rig, cookie) { other = try cookies(rig, cookie).set }
        #expect(set.isEmpty && other.count == 2)
    }

    @Test func `the fields that a route sets count as well`() throws {
        let policy = { (set: [(name: String, value: String)], removed: [String]) in
            ResponseFieldPolicy(cors: nil, set: set, removed: removed)?.caching.permitsCookie
        }
        #expect(policy([("Cache-Control", "public, max-age=60")], []) == false)
        #expect(policy([("cache-control", "no-store")], ["Expires"]) == true)
        #expect(policy([("X-A", "1")], []) == true)
    }

    @Test func `a cookie of an earlier name is renewed under the current one`() throws {
        let (set, _) = try cookies(try rig(), Self.cookie(age: 100), name: "__session")
        #expect(set.first?.hasPrefix("__Host-Http-session=eyJ") == true)
    }

    @Test func `no other cookie is renewed`() throws {
        #expect(try cookies(try rig(idle: nil), Self.cookie(age: 100)).set.isEmpty)
        let whole = SessionDraft.signed { $0.with("iat", "\(ManualClock.start - 500)") }
        #expect(try cookies(try rig(), whole).set.isEmpty)
        let open = try cookies(try rig(), "unreadable", path: "/open")
        #expect(open.set.isEmpty && open.caching.isEmpty)
    }

    @Test func `a cookie is set and cleared with the same attributes under each name`() {
        var lines = SessionCookieLines(name: "__Host-Http-session", previousNames: ["a", "b"])
        #expect(
            lines.fields(of: .set(token: "t", maximumAge: 5)).map(\.value) == [
                "__Host-Http-session=t; Max-Age=5; Path=/; HttpOnly; Secure; SameSite=Lax",
                "a=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
                "b=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
            ])
        lines.sameSite = .strict
        #expect(
            lines.fields(of: .clear).map(\.value) == [
                "__Host-Http-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict",
                "a=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict",
                "b=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict",
            ])
        // A provider leads the browser back from another site.
        #expect(lines.value(ofBinding: "x").hasSuffix("SameSite=Lax"))
    }
}
