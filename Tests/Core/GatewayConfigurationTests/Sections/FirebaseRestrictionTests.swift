import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

/// `project` and `tenant` of routes, and `identity.firebase.hosts`.
@Suite struct FirebaseRestrictionTests {
    private static let several =
        "{ projects: [{ project: my-app }, { project: other-app, tenant: [acme-x1, globex-y2] }] }"

    private func route(_ keys: String, firebase: String = several) throws -> Configuration.FirebaseRestriction? {
        try ConfigurationTesting.load(Self.file(keys, firebase)).routes.first?.firebase
    }

    private static func file(_ keys: String, _ firebase: String = several) -> String {
        """
        identity: { firebase: \(firebase) }
        upstreams: { api: { servers: ["http://127.0.0.1:9000"] } }
        routes: [{ path: "/**", upstream: api, \(keys) }]
        """
    }

    @Test(
        arguments: [
            ("project: my-app", ["my-app"], Configuration.FirebaseRestriction.Tenants.unrestricted),
            ("project: [my-app, other-app], tenant: none", ["my-app", "other-app"], .absent),
            ("tenant: any", [], .present), ("tenant: acme-x1", [], .anyOf(["acme-x1"])),
            ("project: other-app, tenant: [globex-y2, acme-x1]", ["other-app"], .anyOf(["globex-y2", "acme-x1"])),
        ] as [(String, [String], Configuration.FirebaseRestriction.Tenants)])
    func `every form is read`(
        _ keys: String, projects: [String], tenants: Configuration.FirebaseRestriction.Tenants
    ) throws {
        let restriction = try #require(try route(keys))
        #expect(restriction.projects == projects && restriction.tenants == tenants)
        #expect(try route("auth: required") == nil)
    }

    @Test(arguments: [
        ("project: other-ap", "'other-ap' is not a project of identity.firebase; did you mean 'other-app'?"),
        ("project: []", "project is an empty list"), ("tenant: []", "tenant is an empty list"),
        ("tenant: 'a b'", "not a tenant"),
        ("tenant: initech", "identity.firebase accepts no token with this project and tenant"),
        ("project: my-app, tenant: acme-x1", "identity.firebase accepts no token with this project and tenant"),
        ("project: other-app, tenant: none", "identity.firebase accepts no token with this project and tenant"),
        ("project: my-app, auth: none", "project can never apply on a route with auth: none"),
        ("tenant: any, auth: optional", "tenant does not apply to anonymous requests"),
    ])
    func `a restriction that no credential can meet is an error`(_ keys: String, _ expected: String) {
        let errors = ConfigurationTesting.errors(in: Self.file(keys)).map(\.description)
        #expect(errors.count == 1 && errors[0].contains(expected), "\(errors)")
    }

    @Test func `a restriction needs Firebase`() {
        let file = Self.file("project: my-app").replacing(
            "firebase: \(Self.several)", with: "providers: { apple.com: { audiences: [a] } }")
        let errors = ConfigurationTesting.errors(in: file).map(\.description)
        #expect(errors.count == 1 && errors[0].contains("identity.firebase is not configured"), "\(errors)")
    }

    private func hosts(_ hosts: String, _ keys: String) -> String {
        "identity: { firebase: { \(keys), hosts: { \(hosts) } } }\n" + BrokenConfiguration.rest
    }

    @Test func `hosts are read in lower case`() throws {
        let section = """
            identity: { firebase: { project: my-app, tenant: "*", hosts: {
              Acme.example.com: { tenant: acme-x1 }, "*.staff.example": { project: my-app, tenant: none },
              "*": unrestricted } } }
            """
        let hosts = try #require(try ConfigurationTesting.load(section: section).identity.firebase?.hosts)
        #expect(hosts.map(\.host) == ["acme.example.com", "*.staff.example", "*"])
        #expect(hosts.map(\.restriction?.projects) == [[], ["my-app"], nil])
        #expect(hosts.map(\.restriction?.tenants) == [.anyOf(["acme-x1"]), .absent, nil])
    }

    @Test(arguments: [
        ("'a:80': { tenant: t }", "'a:80' is not a host"), ("A.b: { tenant: t }, a.b: { tenant: t }", "listed twice"),
        ("a.b: {}", "is an empty mapping"), ("a.b: { project: third }", "not a project of identity.firebase"),
        ("a.b: { tenant: other }", "accepts no token with this project and tenant"), ("a.b: t", "not a mapping"),
        ("'*': {}", "is an empty mapping"), ("'*': { tenant: other }", "accepts no token with this project and tenant"),
    ])
    func `each error in hosts is reported`(_ entry: String, _ expected: String) {
        let errors = ConfigurationTesting.errors(in: hosts(entry, "project: my-app, tenant: [t]")).map(\.description)
        #expect(errors.count == 1 && errors[0].contains(expected), "\(errors)")
    }

    @Test func `with several projects a host names its project`() {
        let projects = "projects: [{ project: a, tenant: '*' }, { project: b }]"
        let errors = ConfigurationTesting.errors(in: hosts("a.b: { tenant: t }", projects)).map(\.description)
        #expect(errors.count == 1 && errors[0].contains("the host names no project, but there are several"))
    }
}
