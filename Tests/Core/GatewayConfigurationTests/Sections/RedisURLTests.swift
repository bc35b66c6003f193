import GatewayCore
import Testing

@testable import CoreFixtures
@testable import GatewayConfiguration

/// What a URL of a Redis says.
@Suite struct RedisURLTests {
    private typealias Address = RedisLocation.Address

    @Test(arguments: [
        ("redis://h", "redis://h:6379/0"), ("redis://h/", "redis://h:6379/0"), ("redis://H:1/15", "redis://h:1/15"),
        ("REDIS://127.0.0.1:65535", "redis://127.0.0.1:65535/0"), ("rediss://[::1]:7/2", "rediss://[::1]:7/2"),
        ("redis://[FE80::1]", "redis://[fe80::1]:6379/0"), ("redis://h/2147483647", "redis://h:6379/2147483647"),
        ("redis+sentinel://a,b:7,[::1]/main", "redis+sentinel://a:26379,b:7,[::1]:26379/main/0"),
        ("rediss+sentinel://a/my-master.1_x/3", "rediss+sentinel://a:26379/my-master.1_x/3"),
        ("redis://u:p@h", "redis://u:[redacted]@h:6379/0"), ("redis://:p@h", "redis://:[redacted]@h:6379/0"),
        ("redis://a%40b:p@h/1", "redis://a%40b:[redacted]@h:6379/1"),
        ("redis+sentinel://u:p@a,b/n", "redis+sentinel://u:[redacted]@a:26379,b:26379/n/0"),
    ])
    func isShownWholeAndWithoutItsPassword(_ url: String, _ shown: String) throws {
        let store = try ConfigurationTesting.load(section: "store: '\(url)'").store
        #expect(store.description == shown)
    }

    @Test(arguments: [
        ("u:p", "u", "p"), (":p", nil, "p"), ("gate%2Dhouse:%40%3A%2F%25%C3%A9", "gate-house", "@:/%\u{e9}"),
        ("u:!$&'()*+;=,~", "u", "!$&'()*+;=,~"), ("%c3%a9:%5bx%5D", "\u{e9}", "[x]"),
    ])
    func userAndPasswordArePercentDecoded(_ text: String, _ username: String?, _ password: String) throws {
        let url = try RedisURL(parsing: "redis://\(text)@h")
        #expect(url.username == username && url.password == Secret(password))
        #expect(url.servers == .server(Address(host: "h", port: 6379)))
    }

    @Test func aMappingGivesTheRest() throws {
        let store = try ConfigurationTesting.load(
            section: """
                store:
                  url: rediss+sentinel://s1,s2/main/4
                  username: gate
                  password: ${PASSWORD}
                  ca: ca.pem
                  certificate: gate.pem
                  private_key: gate.key
                  sentinel_username: watcher
                  sentinel_password: 12345
                """,
            environment: ["PASSWORD": "hunter2"]
        ).store
        var expected = RedisLocation(
            servers: .sentinels([Address(host: "s1", port: 26379), Address(host: "s2", port: 26379)], master: "main"))
        expected.database = 4
        expected.account = .init(username: "gate", password: Secret("hunter2"))
        expected.sentinelAccount = .init(username: "watcher", password: Secret("12345"))
        expected.tls = .init()
        expected.tls?.ca = "ca.pem"
        expected.tls?.certificate = "gate.pem"
        expected.tls?.privateKey = "gate.key"
        #expect(store == .redis(expected))
    }

    @Test func aPasswordAloneIsTheDefaultUsers() throws {
        let store = try ConfigurationTesting.load(section: "store: { url: 'redis://h', password: p }").store
        var expected = RedisLocation(servers: .server(Address(host: "h", port: 6379)))
        expected.account = .init(password: Secret("p"))
        #expect(store == .redis(expected))
        #expect(store.description == "redis://:[redacted]@h:6379/0")
    }

    @Test func aMappingMayHoldAnyStore() throws {
        #expect(try ConfigurationTesting.load(section: "store: { url: 'sqlite:a.db' }").store == .sqlite(path: "a.db"))
        #expect(try ConfigurationTesting.load(section: "store: { url: 'sqlite::memory:' }").store == .sqliteMemory)
    }

    @Test func aPasswordIsNeverPrinted() throws {
        let store = try ConfigurationTesting.load(
            section: """
                store: { url: 'redis+sentinel://u:hunter2@h/n', sentinel_password: hunter3 }
                """
        ).store
        var dumped = ""
        dump(store, to: &dumped)
        for text in ["\(store)", String(reflecting: store), dumped] { #expect(!text.contains("hunter")) }
    }
}
