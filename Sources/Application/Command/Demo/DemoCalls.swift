import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore

/// The example requests of the demo, in order.
struct DemoCalls {
    private let demo: Demo
    private let now: Int64

    init(_ demo: Demo, now: Int64) {
        self.demo = demo
        self.now = now
    }

    func all() throws(DevelopmentIdentityError) -> [DemoCall] {
        try passing() + providers() + ruled() + refused() + sensitive() + revocation() + operations
    }

    // MARK: - The calls

    private func passing() throws(DevelopmentIdentityError) -> [DemoCall] {
        let hello = url("/v1/hello/world")
        let seen = ["[\"X-Auth-Uid\",\"ada\"]", "\"auth\":{\"uid\":\"ada\""]
        return [
            DemoCall(
                title: "a public route without a credential", url: url("/public/hello"), status: 200,
                marks: ["\"auth\":null"]),
            DemoCall(
                title: "ada, signed in with Google; the service receives her identity", url: hello,
                credential: bearer(try token(.ada, signedInAgo: 60)), status: 200, marks: seen),
            DemoCall(
                title: "ada with a session cookie", url: hello,
                credential: .field(name: "Cookie", value: "__session=\(try cookie(.ada))"), status: 200, marks: seen),
            DemoCall(
                title: "an anonymous request to a route with optional sign-in", url: url("/v1/feed"), status: 200,
                marks: ["\"auth\":null"]),
        ]
    }

    private func providers() throws(DevelopmentIdentityError) -> [DemoCall] {
        let apple = try demo.provider.sign(demo.provider.idToken(of: .apple, for: .alan))
        let (reader, writer) = (try gitHubToken(["read:user"]), try gitHubToken(["repo"]))
        return [
            DemoCall(
                title: "alan with Apple's own ID token, without Firebase", url: url("/v1/hello/world"),
                credential: bearer(apple), status: 200,
                marks: ["\"auth\":{\"uid\":\"apple.com:", "\"is_private_email\":true"]),
            DemoCall(
                title: "linus with a GitHub token, which GitHub introspects", url: url("/v1/repositories"),
                credential: bearer(writer), status: 200, marks: ["[\"X-Auth-Uid\",\"github.com:"]),
            DemoCall(
                title: "linus with a token without the required scope", url: url("/v1/repositories"),
                credential: bearer(reader), status: 403, code: "auth/insufficient-scope", marks: ["scope=\"repo\""]),
        ]
    }

    private func ruled() throws(DevelopmentIdentityError) -> [DemoCall] {
        let notes = url("/v1/users/ada/notes")
        return [
            DemoCall(
                title: "ada reads her notes; the route's rule is auth.uid == uid", url: notes,
                credential: bearer(try token(.ada, signedInAgo: 60)), status: 200, marks: ["[\"X-Auth-Uid\",\"ada\"]"]),
            DemoCall(
                title: "grace may not", url: notes, credential: bearer(try token(.grace, signedInAgo: 60)), status: 403,
                code: "auth/permission-denied"),
        ]
    }

    private func gitHubToken(_ scopes: [String]) throws(DevelopmentIdentityError) -> String {
        let token = OpaqueToken.gitHub(for: .linus, scopes: scopes, now: now)
        try demo.provider.add(token)
        return token.text
    }

    private func refused() throws(DevelopmentIdentityError) -> [DemoCall] {
        let hello = url("/v1/hello/world")
        let expired = demo.provider.idToken(for: .ada).signedIn(at: now - 7200).issued(at: now - 7200)
            .expiring(at: now - 3600)
        let forged = Tampering.payload.applied(to: try token(.ada, signedInAgo: 60))
        return [
            DemoCall(title: "no token", url: hello, status: 401, code: "auth/missing-credential"),
            DemoCall(
                title: "a token that expired an hour ago", url: hello,
                credential: bearer(try demo.provider.sign(expired)),
                status: 401, code: "auth/id-token-expired"),
            DemoCall(
                title: "a token with a modified user", url: hello, credential: bearer(forged), status: 401,
                code: "auth/invalid-id-token"),
        ]
    }

    private func sensitive() throws(DevelopmentIdentityError) -> [DemoCall] {
        let account = url("/v1/account")
        return [
            DemoCall(
                title: "ada deletes her account, but signed in an hour ago; max_age tells the client to ask her again",
                method: "DELETE", url: account, credential: bearer(try token(.ada, signedInAgo: 3600)), status: 401,
                code: "auth/requires-recent-login", marks: ["max_age=\"300\""]),
            DemoCall(
                title: "the same with a sign-in of this moment", method: "DELETE", url: account,
                credential: .signIn(user: "ada", mintURL: demo.provider.url(.mint)), status: 200,
                marks: ["[\"X-Auth-Uid\",\"ada\"]"]),
        ]
    }

    private func revocation() throws(DevelopmentIdentityError) -> [DemoCall] {
        let hello = url("/v1/hello/world")
        let grace = bearer(try token(.grace, signedInAgo: 600))
        let admin = demo.configuration.admin.token?.withBytes { String(decoding: $0, as: UTF8.self) } ?? ""
        return [
            DemoCall(
                title: "grace, until she is revoked", url: hello, credential: grace, status: 200,
                marks: ["[\"X-Auth-Uid\",\"grace\"]"]),
            DemoCall(
                title: "revoke grace's sign-ins up to now, through the admin API", method: "POST",
                url: "http://\(demo.adminAddress)/v1/users/grace/revoke", credential: bearer(admin), status: 200,
                marks: ["\"valid_since\":"]),
            DemoCall(
                title: "grace again, with the same token", url: hello, credential: grace, status: 401,
                code: "auth/id-token-revoked"),
        ]
    }

    private var operations: [DemoCall] {
        [
            DemoCall(
                title: "is the gateway ready?", url: "http://\(demo.adminAddress)/readyz", status: 200,
                marks: ["\"ready\":true"]),
            DemoCall(
                title: "what it counted", url: "http://\(demo.adminAddress)/metrics", status: 200, marks: ["gatehouse_"]
            ),
        ]
    }

    // MARK: - Their parts

    private func url(_ path: String) -> String { "http://\(demo.address)\(path)" }

    private func bearer(_ token: String) -> DemoCall.Credential {
        .field(name: "Authorization", value: "Bearer \(token)")
    }

    private func token(
        _ user: DevelopmentUser, signedInAgo age: Int64
    ) throws(DevelopmentIdentityError) -> String {
        try demo.provider.sign(demo.provider.idToken(for: user).signedIn(at: now - age))
    }

    private func cookie(_ user: DevelopmentUser) throws(DevelopmentIdentityError) -> String {
        try demo.provider.sign(demo.provider.sessionCookie(for: user).signedIn(at: now - 60))
    }
}
