import GatewayCore

/// The example requests of the demo, in order.
struct DemoCalls {
    /// Requests about one subject each.
    let groups: [[DemoCall]]

    init(_ demo: Demo, _ tokens: DemoTokens) {
        let requests = Requests(gateway: "http://\(demo.address)", tokens: tokens)
        groups = [
            requests.passing, requests.providers, requests.ruled, requests.denied, requests.sensitive,
            requests.revocation(admin: demo.adminURL),
        ]
    }

    var all: [DemoCall] { groups.flatMap(\.self) }
}

private struct Requests {
    let gateway: String
    let tokens: DemoTokens

    private var hello: String { gateway + "/v1/hello/world" }

    var passing: [DemoCall] {
        let seen = ["[\"X-Auth-Uid\",\"ada\"]", "\"auth\":{\"uid\":\"ada\""]
        return [
            DemoCall(
                title: "a public route, without a credential", url: gateway + "/public/hello", status: 200,
                marks: ["\"auth\":null"]),
            DemoCall(
                title: "Ada, signed in with Google; the service receives her identity", url: hello,
                credential: .bearer(tokens.ada), status: 200, marks: seen),
            DemoCall(
                title: "Ada with a session cookie", url: hello, credential: .cookie(tokens.adaCookie), status: 200,
                marks: seen),
            DemoCall(
                title: "a route with optional sign-in, without a credential", url: gateway + "/v1/feed", status: 200,
                marks: ["\"auth\":null"]),
        ]
    }

    var providers: [DemoCall] {
        let repositories = gateway + "/v1/repositories"
        return [
            DemoCall(
                title: "Alan with an ID token of Apple, without Firebase", url: hello,
                credential: .bearer(tokens.alanApple), status: 200,
                marks: ["\"auth\":{\"uid\":\"apple.com:", "\"is_private_email\":true"]),
            DemoCall(
                title: "Linus with an access token of GitHub, which GitHub introspects", url: repositories,
                credential: .bearer(tokens.linusGitHub), status: 200, marks: ["[\"X-Auth-Uid\",\"github.com:"]),
            DemoCall(
                title: "Linus with a token without the required scope", url: repositories,
                credential: .bearer(tokens.linusReader), status: 403, code: "auth/insufficient-scope",
                marks: ["scope=\"repo\""]),
        ]
    }

    var ruled: [DemoCall] {
        let notes = gateway + "/v1/users/ada/notes"
        return [
            DemoCall(
                title: "Ada reads her notes; the route's rule is auth.uid == uid", url: notes,
                credential: .bearer(tokens.ada), status: 200, marks: ["[\"X-Auth-Uid\",\"ada\"]"]),
            DemoCall(
                title: "Grace may not read them", url: notes, credential: .bearer(tokens.grace), status: 403,
                code: "auth/permission-denied"),
        ]
    }

    var denied: [DemoCall] {
        [
            DemoCall(title: "no token", url: hello, status: 401, code: "auth/missing-credential"),
            DemoCall(
                title: "a token that expired an hour ago", url: hello, credential: .bearer(tokens.adaExpired),
                status: 401, code: "auth/id-token-expired"),
            DemoCall(
                title: "a token with a modified user", url: hello, credential: .bearer(tokens.adaModified), status: 401,
                code: "auth/invalid-id-token"),
        ]
    }

    var sensitive: [DemoCall] {
        let account = gateway + "/v1/account"
        return [
            DemoCall(
                title: "Ada deletes her account, but signed in an hour ago", method: "DELETE", url: account,
                credential: .bearer(tokens.ada), status: 401, code: "auth/requires-recent-login",
                marks: ["max_age=\"300\""]),
            DemoCall(
                title: "the same with a sign-in of this moment", method: "DELETE", url: account,
                credential: .signIn(user: "ada"), status: 200, marks: ["[\"X-Auth-Uid\",\"ada\"]"]),
        ]
    }

    func revocation(admin: String) -> [DemoCall] {
        [
            DemoCall(
                title: "Grace, before a revocation", url: hello, credential: .bearer(tokens.grace), status: 200,
                marks: ["[\"X-Auth-Uid\",\"grace\"]"]),
            DemoCall(
                title: "revoke Grace's sign-ins up to now, through the admin API", method: "POST",
                url: admin + "/v1/users/grace/revoke", credential: .bearer(tokens.admin), status: 200,
                marks: ["\"valid_since\":"]),
            DemoCall(
                title: "Grace again, with the same token", url: hello, credential: .bearer(tokens.grace), status: 401,
                code: "auth/id-token-revoked"),
        ]
    }
}
