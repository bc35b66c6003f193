import Testing

@testable import CoreFixtures

@Suite struct BrokenRouteTests {
    static let cases: [BrokenConfiguration] = [
        .file("workers: 1\n", "1:1 upstreams is missing", "1:1 routes is missing; add at least one"),
        .section("x: 1", "1:1 unknown key 'x'"),
        .file("upstreams: { a: { servers: ['http://a'] } }\nroutes: []\n", "2:9 routes is an empty list"),
        .file("upstreams: { a: { servers: ['http://a'] } }\nroutes: [1]\n", "2:10 routes[] is not a mapping"),
        upstreams("api: {}", "2:8 upstreams.api.servers is missing"),
        upstreams("api: { servers: http://a }", "2:19 upstreams.api.servers is not a list"),
        upstreams("api: { servers: [a:80] }", "2:20 not an absolute URL"),
        upstreams("api: { servers: ['http://a/b'] }", "2:20 a URL with a path or query"),
        upstreams("api: { servers: ['http://a?b'] }", "2:20 a URL with a path or query"),
        upstreams("api: { servers: ['http://u:p@a'] }", "2:20 an address with a user or password"),
        upstreams("api: { servers: ['http://a:0'] }", "2:20 a URL with port 0"),
        upstreams("api: { servers: ['http://'] }", "2:20 an address without a host"),
        upstreams("api: { servers: ['http://a', 'http://a:80/'] }", "2:32 has a duplicate entry"),
        upstreams("api: { servers: ['http://a'], connections: 0 }", "2:46 out of range; write 1 to 65536"),
        upstreams("api: { servers: ['http://a'], url: x }", "2:33 unknown key 'url' in upstreams.api"),
        upstreams(
            "'a b': { servers: ['http://a'] }", "2:3 'a b' is not a valid upstream name",
            "3:43 there is no upstream 'api'"),
        .route("auth: none", "4:5 routes[].path is missing"),
        .route("path: v1", "5:11 routes[].path is 'v1', which does not begin with '/'"),
        .route("path: [/v1]", "5:11 routes[].path is not a string"),
        .route("path: /\nauth: maybe", "6:11 routes[].auth cannot be 'maybe'; write required or optional or none"),
        .route("path: /\nauth: requierd", "6:11 did you mean 'required'?"),
        .route("path: /\napp_check: on", "6:16 cannot be 'on'; write off or monitor or enforce"),
        .route("path: /\napp_check: false", "6:16 cannot be 'false'; write \"off\" in quotes, or remove it"),
        .route("path: /\napp_check: monitor", "6:5 identity.firebase.app_check is not configured; add"),
        .route(
            "path: /\napp_check_consume: true",
            "6:5 app_check_consume can never apply without app_check: enforce; add app_check: enforce"),
        .route("path: /\napps: [web]", "6:5 apps can never apply without app_check; add app_check: enforce"),
        .file(
            """
            identity: { firebase: { project: demo, app_check: { project_number: 1, apps: { a: web } } } }
            upstreams: { api: { servers: ["http://127.0.0.1:3000"] } }
            routes: [{ path: /, upstream: api, app_check: enforce, apps: [] }]
            """, "3:62 routes[].apps is an empty list; add an entry, or remove the key"),
        .file(
            """
            identity: { firebase: { project: demo, app_check: { project_number: 1, apps: { a: web } } } }
            upstreams: { api: { servers: ["http://127.0.0.1:3000"] } }
            routes: [{ path: /, upstream: api, app_check: enforce, apps: [wep] }]
            """, "3:63 no app of identity.firebase.app_check is named 'wep'; did you mean 'web'?"),
        .route("path: /\nhosts: a.example", "6:5 unknown key 'hosts' in routes[]; did you mean 'host'?"),
        .route("path: /\nhost: a.example:80", "6:11 not a host; write a name without a port"),
        .route("path: /\nhost: [a.example, A.example]", "6:23 has a duplicate entry"),
        .route("path: /\nhost: '…'", "6:11 not a host", values: ["a.*.example", "*"]),
        .route("path: /\nhost: b\u{fc}cher.example", "6:11 not a host"),
        .route("path: /\nmethods: GET", "6:14 routes[].methods is not a list"),
        .route("path: /\nmethods: [GET, get]", "6:20 has a duplicate entry"),
        .route("path: /\nmethods: ['…']", "6:15 not a method", values: ["G T", "extension:"]),
        .route("path: /\nmethods: […]", "6:15 CONNECT is not supported", values: ["CONNECT", "'extension:connect'"]),
        .route("path: /\nmethods: [gett]", "6:15 is 'gett', an unregistered method; did you mean 'GET'?"),
        .route("path: /\nmethods: [PURGE]", "6:15 is 'PURGE', an unregistered method; write extension:PURGE"),
        .route(
            "path: '/users/:id'",
            "5:11 routes[].path has the segment ':id', which would match only literally; write {id}"),
        .route("path: '/users/<id>/x'", "5:11 the segment '<id>', which would match only literally; write {id}"),
        .route(
            "path: '/users/<int:id>'", "5:11 the segment '<int:id>', which would match only literally; write {id}"),
        .route("path: /\nstrip_prefix: '/:tenant'", "6:19 strip_prefix has the segment ':tenant'"),
        .route("path: /\nrecent_sign_in: 0s", "6:21 out of range; write 1s to 365d"),
        .route("path: /\nrecent_sign_in: 5", "6:21 not a duration"),
        .route("path: /\nsecond_factor: true", "6:20 routes[].second_factor cannot be 'true'; write required"),
        .route("path: /\nrevocation: never", "6:17 write replicated or strict or none"),
        .route("path: /\non_store_failure: pass", "6:23 write deny or allow"),
        .route("path: /\nrecent_sign_in: { proof: any }", "6:21 max_age is missing"),
        .route("path: /\nrecent_sign_in: { max_age: 0s }", "6:32 out of range; write 1s to 365d"),
        .route("path: /\nrecent_sign_in: { max_age: 5m, proof: minted }", "6:43 cannot be 'minted'"),
        .route("path: /\nrecent_sign_in: { max_age: 5m, age: 1 }", "6:36 unknown key 'age'"),
        .route("path: /\nencoded_slashes: decode", "6:22 write reject or keep"),
        .route("path: /\nmerge_slashes: maybe", "6:20 not true or false"),
        .route(
            "path: /\nauth: none\nrecent_sign_in: 5m", "7:5 recent_sign_in can never apply on a route with auth: none"),
        .route("path: /\nauth: none\nsecond_factor: required", "7:5 second_factor can never apply"),
        .route(
            "path: /\nauth: optional\nrecent_sign_in: 5m",
            "7:5 recent_sign_in does not apply to anonymous requests, which auth: optional permits; remove it, or set"),
        .route(
            "path: /\nauth: optional\nsecond_factor: required",
            "7:5 second_factor does not apply to anonymous requests"),
        .route(
            "path: /\nauth: optional\nproviders: [apple.com]", "7:5 providers does not apply to anonymous requests"),
        .route("path: /\nauth: none\nproviders: [apple.com]", "7:5 providers can never apply"),
        .route("path: /\nauth: none\nrevocation: strict", "7:5 revocation can never apply"),
        .route("path: /api/x\nstrip_prefix: api", "6:19 routes[].strip_prefix is 'api', which does not begin with '/'"),
        .route("path: /\nbody_size: 1MB", "6:16 not a size"),
        .file(
            BrokenConfiguration.beforeRoute.replacing("upstream: api", with: "upstream: apy\n    path: /"),
            "4:15 there is no upstream 'apy'; did you mean 'api'?"),
        .file(
            "upstreams: { a: { servers: ['http://a'] } }\nroutes:\n  - path: /\n    upstream: a\n",
            "3:11 the route requires a credential, but identity has no issuer"),
        .file(
            "upstreams: { a: { servers: ['http://a'] } }\nidentity: { firebase: null }\n"
                + "routes:\n  - { path: /, auth: optional, upstream: a }\n",
            "4:13 the route requires a credential, but identity has no issuer; add identity.firebase.project"),
        .file(
            "identity: { firebase: { project: demo }, credentials: { header: null, cookie: null } }\n"
                + "upstreams: { a: { servers: ['http://a'] } }\nroutes: [{ path: /, upstream: a }]\n",
            "1:1 identity.credentials has neither a header nor a cookie"),
    ]

    /// A configuration with one upstream, on line 2, and a route to `api`.
    private static func upstreams(_ line: String, _ expected: String...) -> BrokenConfiguration {
        BrokenConfiguration(
            yaml: "upstreams:\n  \(line)\nroutes: [{ path: /, auth: none, upstream: api }]\n", expected: expected)
    }

    @Test(arguments: cases)
    func `each error in a route or upstream is reported with line and column`(broken: BrokenConfiguration) {
        broken.check()
    }
}
