import Gatehouse
import GatewayCore
import Testing

@testable import CoreFixtures

@Suite struct RouteConflictTests {
    private func warnings(_ routes: String) throws -> [String] {
        let yaml = """
            identity: { firebase: { project: demo } }
            upstreams: { api: { servers: ["http://127.0.0.1:3000"] } }
            routes:
            \(routes)
            """
        return try Snapshot(try ConfigurationTesting.load(yaml)).warnings.map(\.description)
    }

    @Test func `an exact path without authentication next to a protected case-insensitive route has a warning`() throws
    {
        let found = try warnings(
            """
              - { path: '/A/{id}', case_insensitive: true, upstream: api }
              - { path: '/a/{name}', auth: none, upstream: api }
            """)
        #expect(found.count == 1)
        #expect(found[0].hasPrefix("gatehouse.yaml:4:13: warning: '/A/{id}' in any case asks for a credential"))
        #expect(found[0].contains("'/a/{name}' at line 5"))
    }

    @Test(arguments: [
        "  - { path: /a, case_insensitive: true, auth: none, upstream: api }\n  - { path: /A, upstream: api }",
        "  - { path: /A, case_insensitive: true, upstream: api }\n  - { path: /a, upstream: api }",
        "  - { path: /A, case_insensitive: true, host: a.example, upstream: api }\n  - { path: /a, auth: none, upstream: api }",
        "  - { path: /A, case_insensitive: true, upstream: api }\n  - { path: /a/b, auth: none, upstream: api }",
    ])
    func `other pairs have no warning`(routes: String) throws {
        #expect(try warnings(routes).isEmpty)
    }

    @Test(arguments: [
        ("/a", "/{x}"), ("/a", "/**"), ("/a/{x}", "/a/**"), ("/a/{x}/c", "/{y}/{x}/c"), ("/a/**", "/**"),
        ("/a/b/**", "/a/{x}/**"), ("/", "/{x=**}"), ("/{x}", "/**"), ("/a/b", "/a/**"),
    ])
    func `a route that hides GET of a wider one has a warning`(narrow: String, wide: String) throws {
        let found = try warnings(
            "  - { path: '\(narrow)', methods: [DELETE], upstream: api }\n  - { path: '\(wide)', upstream: api }")
        #expect(found.count == 1)
        #expect(
            found[0].hasPrefix("gatehouse.yaml:4:13: warning: GET of '\(narrow)' is 405, although '\(wide)' at line 5"))
    }

    @Test(arguments: [
        ("path: /a, methods: [GET]", "path: '/**'"), ("path: /a, methods: [DELETE]", "path: '/**', methods: [POST]"),
        ("path: /a, methods: [DELETE], host: a.example", "path: '/**'"), ("path: /a, methods: [DELETE]", "path: /b"),
        ("path: '/**', methods: [DELETE]", "path: /a"), ("path: /a, methods: [DELETE]", "path: /a, methods: [GET]"),
        ("path: /a/b, methods: [DELETE]", "path: /a"), ("path: /a, methods: [DELETE]", "path: '/a/{x}'"),
        ("path: '/{x}', methods: [DELETE]", "path: '/{y}', methods: [GET]"),
    ])
    func `a route that hides no method has no warning`(one: String, other: String) throws {
        #expect(try warnings("  - { \(one), upstream: api }\n  - { \(other), upstream: api }").isEmpty)
    }

    @Test func `paths with encoded slashes have a warning if rules read them`() throws {
        let kept = "encoded_slashes: keep, upstream: api"
        let found = try warnings(
            """
              - { path: '/a/{x}', allow: auth.uid == x, \(kept) }
              - { path: '/b/{x}', \(kept) }
              - { path: '/c/{x}', auth: none, \(kept) }
              - { path: '/d/**', strip_prefix: /d, merge_slashes: false, upstream: api }
            """)
        #expect(found.count == 2)
        #expect(found[0].hasPrefix("gatehouse.yaml:4:13: warning: encoded_slashes: keep with rules"))
        #expect(found[1].hasPrefix("gatehouse.yaml:7:13: warning: merge_slashes: false with strip_prefix"))
    }
}
