import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

@Suite struct ListenOverrideTests {
    @Test func `the override replaces the listeners of the file`() throws {
        var configuration = try ConfigurationTesting.load(section: "listen: [{ address: 'a:1' }, { address: 'b:2' }]")
        try configuration.overrideListen("127.0.0.1:0")
        #expect(configuration.listen.map(\.address.description) == ["127.0.0.1:0"])
    }

    @Test func `the override keeps the protocol of the first listener`() throws {
        let tls = "tls: { certificate: a.pem, private_key: a.key }, proxy_protocol: true"
        var configuration = try ConfigurationTesting.load(section: "listen: [{ address: 'a:1', \(tls) }]")
        try configuration.overrideListen("unix:/run/gatehouse")
        #expect(configuration.listen.map(\.description) == ["https://unix:/run/gatehouse"])
        #expect(configuration.listen.map(\.proxyProtocol) == [true])
    }

    @Test(arguments: [
        ("0.0.0.0:8080", "insecure_emulator requires that every listener is on a loopback address"),
        ("127.0.0.1:9901", "the admin listener has the same address"), ("8080", "a port without a host"),
        ("unix:run/gatehouse", "a unix: address without an absolute path"),
    ])
    func `the override is validated like the file`(address: String, what: String) throws {
        var configuration = try ConfigurationTesting.load(
            section: "identity: { firebase: { project: a, insecure_emulator: true } }")
        let error = #expect(throws: ConfigurationErrors.self) { try configuration.overrideListen(address) }
        #expect(error?.errors.map(\.what) == [what])
        #expect(error?.errors.map(\.location.description) == ["--listen"])
        #expect(configuration.listen.map(\.address.description) == ["127.0.0.1:8080"])
    }
}

@Suite struct AdminOverrideTests {
    @Test(arguments: [("127.0.0.1:1234", ListenAddress(host: "127.0.0.1", port: 1234)), ("off", nil)])
    func `the override moves or disables the admin listener`(value: String, expected: ListenAddress?) throws {
        var configuration = Configuration()
        try configuration.overrideAdmin(value)
        #expect(configuration.admin.address == expected)
    }

    @Test(arguments: ["127.0.0.1:8080", "0.0.0.0:8080", "nowhere", "127.0.0.1:99999"])
    func `an invalid address is reported with its option`(address: String) {
        var configuration = Configuration()
        let before = configuration
        let error = #expect(throws: ConfigurationErrors.self) { try configuration.overrideAdmin(address) }
        #expect(error?.errors.map(\.location.description) == ["--admin"])
        #expect(configuration == before)
    }
}

@Suite struct KeyURLOverrideTests {
    static let variables = [
        "GATEHOUSE_FIREBASE_KEYS_URL": "http://127.0.0.1:9/keys",
        "GATEHOUSE_FIREBASE_SESSION_KEYS_URL": "https://keys.example/session",
    ]

    @Test func `the environment overrides the file`() throws {
        let firebase = try ConfigurationTesting.load(
            section: "identity: { firebase: { project: a, keys_url: https://x.example/ } }",
            environment: Self.variables
        ).identity.firebase
        #expect(firebase?.keysURL == "http://127.0.0.1:9/keys")
        #expect(firebase?.sessionKeysURL == "https://keys.example/session")
    }

    @Test func `an invalid variable is reported at the section`() {
        BrokenConfiguration.section(
            "identity:\n  firebase:\n    project: a",
            "3:5 the environment variable GATEHOUSE_FIREBASE_KEYS_URL is an http:// URL of another machine",
            environment: ["GATEHOUSE_FIREBASE_KEYS_URL": "http://keys.example/"]
        ).check()
    }

    @Test func `an empty variable is ignored`() throws {
        let firebase = try ConfigurationTesting.load(
            section: "identity: { firebase: { project: a } }", environment: ["GATEHOUSE_FIREBASE_KEYS_URL": ""]
        ).identity.firebase
        #expect(firebase?.keysURL == Configuration.Firebase.defaultKeysURL)
    }
}

@Suite struct ShortcutTests {
    @Test func `the shortcut requires a valid token on every path`() throws {
        let configuration = try Configuration.shortcut(
            project: "my-app", upstream: "http://127.0.0.1:3000", environment: [:])
        #expect(configuration.routes.map(\.path) == ["/{path=**}"])
        #expect(configuration.routes.map(\.auth) == [.required])
        #expect(configuration.identity.firebase?.project == "my-app")
        let name = try #require(configuration.routes.first?.upstream)
        let upstream = configuration.upstream(named: name)
        #expect(upstream?.servers.map(\.description) == ["http://127.0.0.1:3000"])
        #expect(configuration.listen.map(\.address.description) == ["127.0.0.1:8080"])
        #expect(configuration.admin.address?.description == "127.0.0.1:9901")
        #expect(configuration.store == .sqlite(path: "gatehouse.db"))
    }

    @Test func `the shortcut reads the address and the key URLs from the environment`() throws {
        let configuration = try Configuration.shortcut(
            project: "my-app", upstream: "http://127.0.0.1:3000", listen: "0.0.0.0:0",
            environment: KeyURLOverrideTests.variables)
        #expect(configuration.listen.map(\.address.description) == ["0.0.0.0:0"])
        #expect(configuration.identity.firebase?.keysURL == "http://127.0.0.1:9/keys")
    }

    @Test func `an error names the invalid option`() {
        let error = #expect(throws: ConfigurationErrors.self) {
            try Configuration.shortcut(
                project: "a b", upstream: "ftp://x", listen: "localhost",
                environment: ["GATEHOUSE_FIREBASE_KEYS_URL": "x"])
        }
        #expect(
            error?.errors.map(\.description) == [
                "--firebase-project: not a project id; write the project id from the Firebase console",
                "--listen: an address without a port; write HOST:PORT",
                "--upstream: a URL whose scheme is neither http nor https; "
                    + "write http://HOST:PORT, https://HOST:PORT or unix:/PATH",
                "GATEHOUSE_FIREBASE_KEYS_URL: not an absolute URL; "
                    + "begin it with https:// or http://, as in https://api.example.com/path",
            ])
    }

    @Test func `a port alone is reported with the addresses to choose from`() {
        let error = #expect(throws: ConfigurationErrors.self) {
            try Configuration.shortcut(project: "a", upstream: "http://x", listen: "9000", environment: [:])
        }
        #expect(
            error?.description == "--listen: a port without a host; write 127.0.0.1:9000 for clients on this machine, "
                + "or 0.0.0.0:9000 for all clients")
    }

    @Test func `the address of the admin listener is rejected`() {
        let error = #expect(throws: ConfigurationErrors.self) {
            try Configuration.shortcut(project: "a", upstream: "http://x", listen: "0.0.0.0:9901", environment: [:])
        }
        #expect(error?.errors.map(\.what) == ["the admin listener has the same address"])
    }
}
