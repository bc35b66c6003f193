@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures
@testable import SystemFixtures
import Foundation
import JOSE

@testable import Diagnostics
@testable import GatewayConfiguration
@testable import Revocation

/// A configuration, and the requests that are sent to it.
struct ComparedSpace {
    let name: String
    let configuration: String
    var keysAreKnown = true
    var adjust: (inout Configuration) -> Void = { _ in }
    var requests: [ComparedRequest] = []

    init(_ name: String, _ identity: String, routes: [String], more: String = "") {
        self.name = name
        configuration = "\(identity)\n\(more)\nroutes:\n" + routes.map { "  - { \($0) }\n" }.joined()
    }

    private static let identity = """
        identity:
          firebase: { project: my-app }
          providers:
            apple.com: { audiences: [client-1] }
            oidc.corp: { issuer: "https://id.corp.example", audiences: [client-1], second_factor: { acr: [mfa] } }
            oauth.legacy:
              introspection_url: https://as.example/introspect
              client_id: gw
              client_secret: s3cret
              audiences: [api]
        """

    // MARK: - Policies

    /// The policies of routes, without their paths.
    private static let routePolicies: [String] =
        ["auth: none", "auth: none, body_size: 10"]
        + ["required", "optional"].flatMap { auth in
            ["replicated", "strict", "off"].flatMap { mode in
                ["deny", "allow"].map { "auth: \(auth), revocation: \(mode), on_store_failure: \($0)" }
            }
        }
        + ["replicated", "strict", "off"].flatMap { mode in
            ["5m", "50s", "{ max_age: 5m, proof: authenticated }"].map {
                "recent_sign_in: \($0), revocation: \(mode)"
            }
        } + [
            "recent_sign_in: 50s, on_store_failure: allow", "second_factor: required",
            "second_factor: required, recent_sign_in: 50s, revocation: off", "providers: [google.com]",
            "providers: [apple.com, oauth.legacy]", "providers: [oidc.corp], second_factor: required", "scopes: [read]",
            "scopes: [admin, read]", "insecure_no_csrf: true", "token_query: access_token",
            "auth: optional, token_query: access_token",
            "upgrade: [websocket], token_protocol: true, token_query: access_token", "upgrade: [websocket]",
            "allow: \"auth.uid == 'user-1'\"", "auth: optional, allow: \"auth == null\"",
            "auth: optional, allow: \"auth != null && auth.token.email_verified\"",
            "allow: \"recentSignIn(duration.value(50, 's'))\"",
            "allow: \"recentSignIn(duration.value(50, 's'))\", revocation: off",
            "allow: \"secondFactor() || auth.uid == 'eve'\"", "allow: \"auth.token.missing.member == 1\"",
        ]

    private static func path(_ index: Int) -> String { "/r\(index)/x?q=1" }

    /// Each policy with valid credentials and states of the store, and every third one with each other credential.
    static func policies() -> ComparedSpace {
        var space = ComparedSpace(
            "policies", identity, routes: routePolicies.enumerated().map { "path: /r\($0)/**, upstream: api, \($1)" })
        let states = ComparedRecords.all
        for route in routePolicies.indices {
            for (index, credential) in ComparedCredential.valid.enumerated() {
                for (number, state) in states.enumerated() where index == 0 || (index + route + number) % 7 == 0 {
                    space.add(ComparedRequest(target: path(route), credential: credential, records: state))
                }
            }
            for (index, credential) in ComparedCredential.invalid.enumerated() where (index + route) % 3 == 0 {
                let state = states[(index + route) % states.count]
                space.add(ComparedRequest(target: path(route), credential: credential, records: state))
            }
        }
        return space
    }

    mutating func add(_ request: ComparedRequest) { requests.append(request) }

    /// Each policy while the gateway or `explain` cannot read the store.
    static func unreadableStores() -> ComparedSpace {
        var space = policies()
        space = ComparedSpace(name: "unreadable stores", configuration: space.configuration)
        for route in stride(from: 0, to: routePolicies.count, by: 2) {
            for credential in [.none] + ComparedCredential.valid.prefix(2) {
                for state in ComparedRecords.unreadable {
                    space.add(ComparedRequest(target: path(route), credential: credential, records: state))
                }
            }
        }
        return space
    }

    private init(name: String, configuration: String) {
        self.name = name
        self.configuration = configuration
    }

    /// Each kind of credential while no key set could be fetched.
    static func unknownKeys() -> ComparedSpace {
        var space = policies()
        space = ComparedSpace(name: "unknown keys", configuration: space.configuration)
        space.keysAreKnown = false
        for route in [0, 8] {
            for credential in ComparedCredential.valid + ComparedCredential.invalid {
                space.add(ComparedRequest(target: path(route), credential: credential))
            }
        }
        return space
    }

    // MARK: - Accounts

    private static let accountRoutes = [
        "path: /r0/**, upstream: api", "path: /r1/**, upstream: api, revocation: strict, on_store_failure: allow",
        "path: /r2/**, upstream: api, revocation: off", "path: /r3/**, upstream: api, auth: optional",
        "path: /r4/**, upstream: api, recent_sign_in: 50s", "path: /r5/**, upstream: api, providers: [apple.com]",
    ]

    private static let calls = [
        "nonce", "sign-in", "session", "reauthenticate", "link", "unlink", "sign-out", "auth", "events/apple",
        "jwks.json", "", "other",
    ]

    /// Session cookies of the gateway, identities with and without owners, and calls of account endpoints.
    static func accounts(unlinked: String, in folder: TemporaryFolder) throws -> ComparedSpace {
        let pem = try SigningKey.generate(.es256, keyID: "").pem()
        let file = folder.path("session-\(unlinked).pem")
        _ = FileManager.default.createFile(
            atPath: file, contents: Data(pem), attributes: [.posixPermissions: 0o600])
        let settings = """
            accounts:
              issuer: \(SessionDraft.issuer)
              session_key: \(file)
              origins: ["https://app.example"]
              unlinked: \(unlinked)
            """
        var space = ComparedSpace("accounts, unlinked: \(unlinked)", identity, routes: accountRoutes, more: settings)
        let credentials = ComparedCredential.accounts(signedBy: try SigningKey(pem: pem, algorithm: .es256))
        for route in accountRoutes.indices {
            for (index, credential) in credentials.enumerated() {
                let states = credential.subject == nil ? [ComparedRecords.all[0]] : ComparedRecords.ofIdentities
                for (number, state) in states.enumerated() where states.count == 1 || (index + route + number) % 2 == 0
                {
                    space.add(ComparedRequest(target: path(route), credential: credential, records: state))
                }
            }
        }
        for (place, call) in calls.enumerated() where unlinked == "derive" {
            for (number, method) in ["GET", "HEAD", "POST", "PUT", "OPTIONS"].enumerated() {
                for (index, credential) in credentials.enumerated() where (place + number + index) % 3 == 0 {
                    let states = ComparedRecords.ofIdentities
                    space.add(
                        ComparedRequest(
                            method: method, target: "/.gatehouse/\(call)",
                            fields: index % 2 == 0 ? [] : sites[(place + index) % sites.count],
                            credential: credential, records: states[(place + index) % states.count]))
                }
            }
        }
        return space
    }

    /// Each state of an account that Identity Toolkit reports, with each state of the store.
    static func firebaseAccounts() -> ComparedSpace {
        let space = policies()
        var own = ComparedSpace(name: "Firebase accounts", configuration: space.configuration)
        own.adjust = { $0.revocation.firebase = Configuration.FirebaseAccounts(serviceAccount: "unused") }
        for route in stride(from: 0, to: routePolicies.count, by: 3) {
            for (index, credential) in ComparedCredential.firebaseAccounts.enumerated() {
                for offset in 0..<3 {
                    let state = ComparedRecords.all[(index + route + offset * 5) % ComparedRecords.all.count]
                    own.add(ComparedRequest(target: path(route), credential: credential, records: state))
                }
            }
        }
        return own
    }

    // MARK: - Routes

    private typealias Fields = [(name: String, value: String)]

    /// Fields by which browsers report the origin of a request.
    private static let sites: [[(name: String, value: String)]] = [
        [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-origin")], [("Sec-Fetch-Site", "none")],
        [("Origin", "https://evil.example")], [("Origin", "null")], [("Origin", "http://a.example")],
        [("Origin", "https://app.example"), ("Sec-Fetch-Site", "cross-site")],
        [("Origin", "https://APP.example"), ("Sec-Fetch-Site", "cross-site")],
        [("Origin", "https://app.example"), ("Origin", "https://evil.example")],
        [("Sec-Fetch-Site", "same-site"), ("Origin", "https://evil.example")],
    ]

    private static let routes = [
        "path: \"/\", upstream: web, auth: none", "path: \"/a\", upstream: api, auth: none, methods: [GET, POST]",
        "path: \"/a/{id}\", upstream: web, auth: none",
        "path: \"/a/{id}/**\", upstream: api, auth: none, methods: [GET]",
        "path: \"/v1/{rest=**}\", upstream: api, auth: none, strip_prefix: /v1",
        "path: \"/old/{id}/{rest=**}\", upstream: web, auth: none, "
            + "rewrite: { path: \"/new/{rest}/{id}\", host: new.example }",
        "path: \"/hosted\", upstream: web, auth: none, host: [b.example, \"*.c.example\"]",
        "path: \"/hosted\", upstream: api, auth: none, host: d.example, methods: [DELETE]",
        "path: \"/Case\", upstream: api, auth: none, case_insensitive: true",
        "path: \"/slashes/**\", upstream: api, auth: none, merge_slashes: false, encoded_slashes: keep",
        "path: \"/small\", upstream: api, auth: none, body_size: 4",
        "path: \"/rated\", upstream: api, auth: none, rate_limit: [{ per: route, requests: 1000000, every: 1s }]",
        "path: \"/app/**\", upstream: api, cors: { origins: [\"https://app.example\"], credentials: true }",
        "path: \"/open\", upstream: api, auth: none, methods: [GET, PUT], "
            + "cors: { origins: \"*\", headers: [x-a], max_age: 0s }",
        "path: \"/cookie\", upstream: api", "path: \"/lax\", upstream: api, insecure_no_csrf: true",
        "path: \"/ws\", upstream: api, auth: optional, upgrade: [websocket, echo]",
        "path: \"/ext\", upstream: api, auth: none, methods: [\"extension:BREW\"]",
    ]

    private static let targets = [
        "/", "/a", "/a/", "/a/1", "/a/1/2/3", "/a//1", "/a/./1", "/a/../b", "/../a", "/a%2F1", "/a%00", "/%61",
        "/a?q=%zz&r",
        "/v1", "/v1/", "/v1/x", "/v1//x", "/v1x", "/old/7/x/y?q", "/old/7", "/old//x", "/old/7/..", "/hosted", "/Case",
        "/cASE",
        "/slashes//a", "/slashes/%2F/b", "/slashes/a%2fb", "/small", "/rated", "/app/x", "/open", "/cookie", "/lax",
        "/ws", "/ext",
        "/none", "/.gatehouse/", "/.gatehouse/jwks.json", "/.gatehouse/nonce", "*", "/a b", "/\u{e9}", "/%E9",
        "http://d.example/hosted",
        "/a/\(String(repeating: "x", count: 9000))",
    ]
    private static let methods = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW", "TRACE", "CONNECT", "get", "G@T",
    ]
    private static let hosts = [
        "a.example", "b.example:80", "x.C.example", "c.example", "D.example.", "", "a b", "[::1]",
    ]

    private static func preflight(_ origin: String, _ method: String, _ headers: String? = "authorization") -> Fields {
        [("Origin", origin), ("Access-Control-Request-Method", method)]
            + (headers.map { [("Access-Control-Request-Headers", $0)] } ?? [])
    }

    /// Other forms of requests: announced bodies, forwarded fields, upgrades, preflights.
    private static let forms: [Fields] =
        sites + [
            preflight("https://app.example", "DELETE"), preflight("https://app.example", "DELETE", nil),
            preflight("https://evil.example", "PUT"), preflight("https://evil.example", "GET", "x-a, x-b"),
            preflight("https://app.example", "BREW"), [("Access-Control-Request-Method", "GET")],
            [("Content-Length", "0")], [("Content-Length", "x")], [("Content-Length", "99999999999999999999999")],
            [("Transfer-Encoding", "chunked"), ("Content-Length", "1")],
            [("X-Forwarded-For", "203.0.113.7"), ("X-Forwarded-Proto", "https")],
            [("Forwarded", "for=203.0.113.7;proto=https;host=b.example")], [("X-Auth-Uid", "eve")],
            ComparedCredential.handshake, ComparedCredential.handshake + [("Origin", "https://evil.example")],
            ComparedCredential.handshake + [("Origin", "https://app.example"), ("Sec-Fetch-Site", "cross-site")],
            [("Connection", "Upgrade"), ("Upgrade", "websocket")], [("Connection", "Upgrade"), ("Upgrade", "h2c")],
            [("Connection", "Upgrade"), ("Upgrade", "echo")],
            ComparedCredential.handshake.dropLast() + [("Sec-WebSocket-Version", "12")],
            [("Content-Type", "application/grpc")], [("Bad Name", "x")], [("X", "a\u{1}b")],
            [("Host", "b.example")],
        ]

    /// Each target with each method and host, and the forms of requests with and without a session cookie.
    static func routing() -> ComparedSpace {
        var space = ComparedSpace(
            "routing", identity, routes: routes, more: "trusted_proxies: [127.0.0.0/8]\nlimits: { head_size: 8KiB }")
        for (index, target) in targets.enumerated() {
            for (number, method) in methods.enumerated() {
                space.add(ComparedRequest(method: method, target: target))
                let host = hosts[(index + number) % hosts.count]
                space.add(ComparedRequest(method: method, target: target, host: host))
            }
            for host in hosts { space.add(ComparedRequest(target: target, host: host)) }
        }
        let sites = ["/a", "/small", "/app/x", "/open", "/cookie", "/lax", "/ws", "/none"]
        for (number, target) in sites.enumerated() {
            for method in ["GET", "POST", "OPTIONS"] {
                for (index, fields) in forms.enumerated() {
                    // Each form has the cookie on every second route.
                    let hasCookie = (index + number) % 2 == 0
                    space.add(
                        ComparedRequest(
                            method: method, target: target, fields: fields, credential: hasCookie ? .validCookie : .none
                        ))
                }
                for body in ["1234", "12345"] {
                    space.add(ComparedRequest(method: method, target: target, body: body))
                }
            }
        }
        return space
    }

    // MARK: - Rules

    private static let rules = """
        rules_version = '2';
        service gatehouse.http {
          match /v1/{uid}/{rest=**} {
            allow read: if request.auth.token.admin == true;
            allow read: if request.auth.uid == uid;
            allow delete: if recentSignIn(duration.value(50, 's'));
            allow update: if secondFactor();
            allow create: if request.auth == null;
          }
        }
        """

    /// A file of rules, with methods, paths and users that it allows and does not.
    static func rules(in folder: TemporaryFolder) throws -> ComparedSpace {
        let file = folder.path("api.rules")
        try rules.write(toFile: file, atomically: true, encoding: .utf8)
        var space = ComparedSpace(
            "rules", identity,
            routes: [
                "path: /v1/**, upstream: api, auth: optional", "path: /v2/**, upstream: api",
                "path: /v1/strict/**, upstream: web, revocation: strict, on_store_failure: allow",
            ], more: "rules: \(file)")
        for target in ["/v1/user-1/x", "/v1/eve/x/y", "/v1/user-1", "/v2/user-1/x", "/v1/strict/x"] {
            for method in ["GET", "POST", "PUT", "DELETE"] {
                for credential in ComparedCredential.valid + ComparedCredential.invalid.prefix(2) {
                    for state in [0, 5, 7, 12].map({ ComparedRecords.all[$0] })
                    where credential.subject?.session != nil || state.name == "none" {
                        space.add(
                            ComparedRequest(method: method, target: target, credential: credential, records: state))
                    }
                }
            }
        }
        return space
    }
}
