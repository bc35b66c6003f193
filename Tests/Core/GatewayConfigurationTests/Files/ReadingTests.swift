import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

/// The values of the keys of a valid file.
@Suite struct ReadingTests {
    @Test func `listeners keep their order`() throws {
        let configuration = try ConfigurationTesting.load(
            section: "listen:\n  - address: 0.0.0.0:80\n  - address: '[::1]:0'\n  - address: LocalHost:81")
        #expect(configuration.listen.map(\.address.description) == ["0.0.0.0:80", "[::1]:0", "localhost:81"])
        #expect(configuration.listen.map(\.address.isLoopback) == [false, true, true])
    }

    @Test func `durations and sizes are read in every unit`() throws {
        let configuration = try ConfigurationTesting.load(
            section: """
                limits: { head_timeout: 50ms, idle_timeout: 12h, request_timeout: 5m, body_size: 64KiB, head_size: 2048 }
                identity: { keys: { stale_for: 14d } }
                """)
        #expect(configuration.limits.headTimeout == .milliseconds(50))
        #expect(configuration.limits.idleTimeout == .seconds(43_200))
        #expect(configuration.limits.requestTimeout == .seconds(300))
        #expect(configuration.limits.bodySize == 65_536 && configuration.limits.headSize == 2_048)
        #expect(configuration.identity.keys.staleFor == .seconds(1_209_600))
    }

    @Test(arguments: [
        ("null", Configuration.TenantPolicy.none), ("\"*\"", .any), ("acme-x1", .only("acme-x1")),
        ("[acme-x1]", .anyOf(["acme-x1"])), ("[b, a]", .anyOf(["b", "a"])),
    ])
    func `every form of tenant is read`(yaml: String, expected: Configuration.TenantPolicy) throws {
        let section = "identity: { firebase: { project: demo, tenant: \(yaml) } }"
        #expect(try ConfigurationTesting.load(section: section).identity.firebase?.tenant == expected)
    }

    @Test func `several projects are read in the order of the file`() throws {
        let section = """
            identity: { firebase: { projects: [
              { project: my-app }, { project: "e.com:other", tenant: [a, b], service_account: /run/other.json } ] } }
            """
        let firebase = try #require(
            try ConfigurationTesting.load(
                section: section, environment: ["GOOGLE_CLOUD_PROJECT": "unused"]
            ).identity.firebase)
        #expect(firebase.projects.map(\.id) == ["my-app", "e.com:other"] && firebase.hasSeveralProjects)
        #expect(firebase.projects.map(\.tenant) == [.none, .anyOf(["a", "b"])])
        #expect(firebase.projects.map(\.serviceAccount) == [nil, "/run/other.json"])
        let accounts = Configuration.FirebaseAccounts(serviceAccount: "common.json")
        let files = firebase.projects.map { accounts.settings(of: $0).serviceAccount }
        #expect(files == ["common.json", "/run/other.json"])
    }

    @Test func `a list of one project is the same as project and tenant`() throws {
        func firebase(_ yaml: String) throws -> Configuration.Firebase? {
            try ConfigurationTesting.load(section: "identity: { firebase: { \(yaml) } }").identity.firebase
        }
        let one = try firebase("projects: [{ project: demo, tenant: acme-x1 }]")
        #expect(try one == firebase("project: demo, tenant: acme-x1"))
    }

    @Test(arguments: [
        ("sqlite:gatehouse.db", Configuration.StoreLocation.sqlite(path: "gatehouse.db")),
        ("sqlite:/var/lib/gh.db", .sqlite(path: "/var/lib/gh.db")), ("'sqlite::memory:'", .sqliteMemory),
        ("{ url: 'sqlite:a.db' }", .sqlite(path: "a.db")), ("{ url: 'sqlite::memory:' }", .sqliteMemory),
    ])
    func `every form of SQLite store is read`(yaml: String, expected: Configuration.StoreLocation) throws {
        #expect(try ConfigurationTesting.load(section: "store: \(yaml)").store == expected)
    }

    @Test(arguments: [
        ("stdout", Configuration.AccessLogTarget.standardOutput), ("off", .off),
        ("./access.log", .file(path: "./access.log")),
    ])
    func `every form of access log is read`(yaml: String, expected: Configuration.AccessLogTarget) throws {
        #expect(try ConfigurationTesting.load(section: "log: { access: \(yaml) }").log.access == expected)
    }

    @Test(arguments: ["text", "json"]) func `both formats of the log are read`(format: String) throws {
        #expect(try ConfigurationTesting.load(section: "log: { format: \(format) }").log.format == format)
    }

    @Test func `null disables the admin listener, the header and the cookie`() throws {
        let configuration = try ConfigurationTesting.load(
            section: "admin: { address: null }\nidentity: { credentials: { header: null, cookie: null } }")
        #expect(configuration.admin.address == nil)
        #expect(configuration.identity.credentials.header == nil && configuration.identity.credentials.cookie == nil)
    }

    @Test func `every key of a route is read`() throws {
        let configuration = try ConfigurationTesting.load(
            """
            identity: { firebase: { project: demo } }
            upstreams: { api: { servers: ["http://[::1]:3000"] } }
            routes:
              - path: /v1/{id}
                host: [API.example.com, "*.example.org"]
                methods: [delete, GET]
                auth: required
                providers: [apple.com, password]
                recent_sign_in: 5m
                second_factor: required
                revocation: strict
                upstream: api
                strip_prefix: /v1
                response_timeout: 3s
                body_size: 1MiB
                merge_slashes: false
                encoded_slashes: keep
                case_insensitive: true
            """)
        var expected = Configuration.Route(
            path: "/v1/{id}", upstream: "api", location: .init(file: "gatehouse.yaml", line: 4, column: 11))
        expected.hosts = ["api.example.com", "*.example.org"]
        expected.methods = ["DELETE", "GET"]
        expected.auth = .required
        expected.providers = ["apple.com", "password"]
        expected.recentSignIn = .seconds(300)
        expected.secondFactor = true
        expected.revocation = .strict
        expected.stripPrefix = "/v1"
        expected.responseTimeout = .seconds(3)
        expected.bodySize = 1_048_576
        expected.mergeSlashes = false
        expected.encodedSlashes = .keep
        expected.caseInsensitive = true
        #expect(configuration.routes == [expected] && configuration.upstreams[0].servers[0].host == "::1")
    }

    @Test(
        arguments: [
            ("5m", .any), ("{ max_age: 5m }", .any), ("{ max_age: 5m, proof: any }", .any),
            ("{ max_age: 5m, proof: authenticated }", .authenticated),
        ] as [(String, Configuration.SignInProofs)])
    func `a recent sign-in is a duration, or one with its proof`(text: String, proof: Configuration.SignInProofs) throws
    {
        let yaml = BrokenConfiguration.beforeRoute + "    path: /\n    host: a.example\n    recent_sign_in: \(text)\n"
        let route = try ConfigurationTesting.load(yaml).routes[0]
        #expect(route.recentSignIn == .seconds(300) && route.signInProof == proof)
        #expect(route.hosts == ["a.example"], "a single host needs no list")
    }

    @Test func `extra headers keep their order`() throws {
        let configuration = try ConfigurationTesting.load(
            section: "headers: { extra: { X-Role: token.role, X-Auth-Roles: 'token[\"https://x.y/roles\"]' } }")
        #expect(configuration.headers.extra.map(\.name) == ["X-Role", "X-Auth-Roles"])
        #expect(
            configuration.headers.extra.map(\.source) == [
                .claim(try ClaimPath(parsing: "token.role")),
                .claim(try ClaimPath(parsing: "token['https://x.y/roles']")),
            ])
    }
}
