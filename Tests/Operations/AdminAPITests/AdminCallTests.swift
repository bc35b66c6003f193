import Revocation
import Testing

@testable import AdminAPI
@testable import StoreFixtures

struct AdminCallTests {
    @Test(
        arguments: [
            ("/livez", AdminCall.live), ("/readyz", .ready), ("/metrics", .metrics), ("/metrics?x=1", .metrics),
            ("/v1/keys", .keys), ("/v1/keys/refresh", .refreshKeys), ("/v1/routes", .routes),
            ("/v1/reload", .reload), ("/v1/configuration", .configuration), ("/v1/fleet", .fleet),
            ("/v1/rules", .rules), ("/v1/rules/evaluate", .evaluateRules),
            ("/v1/reload/diff", .reloadDifferences),
            ("/v1/decisions?a=b", .decisions(AdminQuery(target: "?a=b"))),
            ("/v1/history", .history(AdminQuery(target: ""))),
            ("/v1/history?a=b", .history(AdminQuery(target: "?a=b"))), ("/v1/status", .status), ("/v1/outbox", .outbox),
            ("/v1/outbox/retry", .retryOutbox), ("/v1/outbox/discard", .discardOutbox),
            ("/v1/users/ann", .user("ann")), ("/v1/users/ann/activity", .activity("ann")),
            ("/v1/projects/p/tenants/t/users/a/activity", .activity(UserKey(uid: "a", tenant: "t", project: "p"))),
            ("/v1/users/ann/revoke", .change(.revoke, "ann")),
            ("/v1/users/ann/unrevoke", .change(.unrevoke, "ann")),
            ("/v1/users/ann/disable", .change(.disable, "ann")),
            ("/v1/users/ann/enable", .change(.enable, "ann")),
            ("/v1/tenants/acme-x1/users/ann", .user(UserKey(uid: "ann", tenant: "acme-x1"))),
            ("/v1/tenants/acme-x1/users/ann/revoke", .change(.revoke, UserKey(uid: "ann", tenant: "acme-x1"))),
            (
                "/v1/tenants/acme-x1/users/ann/sessions/17/revoke",
                .revokeSession(UserKey(uid: "ann", tenant: "acme-x1"), session: "17")
            ),
            ("/v1/projects/p/users/ann", .user(UserKey(uid: "ann", tenant: nil, project: "p"))),
            ("/v1/projects/p/users/ann/enable", .change(.enable, UserKey(uid: "ann", tenant: nil, project: "p"))),
            (
                "/v1/projects/a%2Eb:c/tenants/t/users/ann/disable",
                .change(.disable, UserKey(uid: "ann", tenant: "t", project: "a.b:c"))
            ),
            (
                "/v1/projects/p/tenants/t/users/ann/sessions/17",
                .session(UserKey(uid: "ann", tenant: "t", project: "p"), session: "17")
            ),
            ("/v1/users/ann/sessions/17", .session("ann", session: "17")),
            ("/v1/users/ann/sessions", .sessions("ann")),
            ("/v1/projects/p/tenants/t/users/a/sessions", .sessions(UserKey(uid: "a", tenant: "t", project: "p"))),
            ("/v1/accounts?limit=1", .findAccount(AdminQuery(target: "?limit=1"))),
            ("/v1/accounts/ann", .account("ann")), ("/v1/accounts/ann/delete", .deleteAccount("ann")),
            ("/v1/accounts/ann/links/oidc%2Ea/unlink", .unlink("ann", provider: "oidc.a")),
            ("/v1/tenants/t/accounts/ann", .account(UserKey(uid: "ann", tenant: "t"))),
            (
                "/v1/projects/p/accounts/ann/delete",
                .deleteAccount(UserKey(uid: "ann", tenant: nil, project: "p"))
            ),
            (
                "/v1/projects/p/tenants/t/accounts/ann/links/a/unlink",
                .unlink(UserKey(uid: "ann", tenant: "t", project: "p"), provider: "a")
            ),
            ("/v1/users/ann/sessions/17/revoke", .revokeSession("ann", session: "17")),
            ("/v1/accounts/ann/merge/b%2Fb", .merge("ann", target: "b/b")),
            (
                "/v1/projects/p/tenants/t/accounts/ann/merge/bob",
                .merge(UserKey(uid: "ann", tenant: "t", project: "p"), target: "bob")
            ),
        ])
    func `a path is a call`(target: String, call: AdminCall) {
        #expect(AdminCall(target: target) == call)
    }

    @Test(
        arguments: [
            "", "/", "livez", "//livez", "/livez/", "/LIVEZ", "/livezX", "/liv%65z", "/x/../livez", "/./livez",
            "/livez/.",
            "/v1", "/v1/", "/v1/status/", "/v1/keys/", "/v1/keys/../routes", "/v1//keys", "/%761/keys", "/v1/users",
            "/v1/users/",
            "/v1/users/a/", "/v1/users//revoke", "/v1/users/a/revoke/", "/v1/users/a/REVOKE", "/v1/users/a/sessions/",
            "/v1/users/a/sessions//revoke", "/v1/users/a/sessions/s/enable", "/v1/users/a/sessions/s/revoke/x",
            "/v2/keys", "http://localhost/livez", "*", "/v1/users/%", "/v1/users/%4", "/v1/users/%zz", "/v1/users/%ff",
            "/v1/accounts/", "/v1/accounts/a/links", "/v1/accounts/a/links/b", "/v1/accounts/a/unlink",
            "/v1/accounts/a/links//unlink", "/v1/tenants/t/accounts", "/v1/accounts/a/delete/x",
            "/v1/accounts/a/merge", "/v1/accounts/a/merge/", "/v1/accounts/a/merge/b/c",
            "/v1/projects/p", "/v1/projects//users/a", "/v1/projects/p/tenants/t", "/v1/tenants/t/projects/p/users/a",
            "/v1/projects/p/accounts", "/v1/users/%00", "/v1/tenants/a", "/v1/tenants/a/users",
            "/v1/tenants//users/b", "/v1/tenants/a/b/c",
            "/v1/tenants/a/users/b/revoke/c", "/v1/tenants/a/users/b/sessions/c/revoke/d", "/v1/users/a%00b",
        ])
    func `only exact paths are calls`(target: String) {
        #expect(AdminCall(target: target) == nil)
    }

    @Test(arguments: [
        ("a%2Fb", "a/b"), ("a%2fb", "a/b"), ("%252F", "%2F"), ("apple.com:001.a", "apple.com:001.a"), ("a+b", "a+b"),
        ("%C3%A9", "é"), ("..", ".."), ("%3Fx", "?x"),
    ])
    func `a uid is decoded once`(segment: String, uid: String) {
        #expect(AdminCall(target: "/v1/users/\(segment)") == .user(UserKey(uid)))
    }

    @Test func `the length of a uid is limited`() {
        #expect(AdminCall(target: "/v1/users/" + String(repeating: "a", count: 1024)) != nil)
        #expect(AdminCall(target: "/v1/users/" + String(repeating: "a", count: 1025)) == nil)
    }

    @Test func `only health and metrics are public`() {
        let calls = [AdminCall.user("a"), .keys, .routes, .refreshKeys, .change(.revoke, "a")]
        #expect(calls.allSatisfy { !$0.isPublic })
        #expect([AdminCall.live, .ready, .metrics].allSatisfy { $0.isPublic })
    }
}
