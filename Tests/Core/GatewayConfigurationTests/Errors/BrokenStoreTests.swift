import GatewayCore
import Testing

@testable import CoreFixtures
@testable import GatewayConfiguration

@Suite struct BrokenStoreTests {
    static let urls: [(url: String, message: String)] = [
        ("redis:h", "has no '//' after its scheme; write redis://HOST:PORT"),
        ("redis:/h", "has no '//' after its scheme"),
        ("rediss", "is of an unknown kind; write sqlite:PATH, redis://HOST"),
        ("redis+clusters://h", "is of an unknown kind"), ("http://h", "is of an unknown kind"),
        ("redis://", "has an address without a host"), ("redis://:6379", "has an address without a host"),
        ("redis://u:p@", "has an address without a host"), ("redis://h:", "has an address with an invalid port"),
        ("redis://h:0", "has an address with port 0; add the port"),
        ("redis://h:65536", "has an address with an invalid port; a port is a number up to 65535"),
        ("redis://h:06379", "has an address with an invalid port"),
        ("redis://h:6379x", "has an address with an invalid port"),
        ("redis://::1", "has an IPv6 address without brackets"),
        ("redis://[::1", "has an address with an invalid IPv6 host"),
        ("redis://[::1]x", "has an address with extra characters after ']'"),
        ("redis://h_-", "has an address with an invalid host"),
        ("redis://h/x", "has an invalid database; a database is a number up to 2147483647"),
        ("redis://h/-1", "has an invalid database"), ("redis://h/01", "has an invalid database"),
        ("redis://h/2147483648", "has an invalid database"), ("redis://h/0/", "has an invalid database"),
        ("redis://h//", "has an invalid database"),
        ("redis://h?db=1", "has a '?' or '#' in its URL; remove the query or fragment"),
        ("redis://h#x", "has a '?' or '#' in its URL"),
        ("redis://h,i", "has more than one host; write redis+sentinel://"),
        ("redis://h h", "has spaces or non-ASCII characters in its URL; percent-encode them"),
        ("redis://\u{e9}", "has spaces or non-ASCII characters in its URL; percent-encode them"),
        ("redis+sentinel://h", "has no master name; write redis+sentinel://HOST,HOST/NAME"),
        ("redis+sentinel://h/", "has no master name"), ("redis+sentinel://h//1", "has no master name"),
        ("redis+sentinel://h/a%20b", "has an invalid master name"),
        ("redis+sentinel://h/n/", "has an invalid database"),
        ("redis+sentinel://h/n/x", "has an invalid database"),
        ("redis+sentinel://a,,b/n", "has an address without a host"),
        ("redis+sentinel://a,A:26379/n", "has a duplicate sentinel; remove one of them"),
        ("redis+sentinel:///n", "has an address without a host"),
        ("redis+cluster://", "has an address without a host"), ("redis+cluster://a,", "has an address without a host"),
        ("redis+cluster://a,A:6379", "has a duplicate node; remove one of them"),
        ("redis+cluster://h/a/1", "has an invalid hash tag; a hash tag consists of 1 to 64 letters"),
        ("redis+cluster://h/{a}", "has an invalid hash tag"), ("redis+cluster://h/a*", "has an invalid hash tag"),
        ("redis://user@h", "has a user but no password; add password"),
        ("redis://hunter2:@h", "has an empty password in its URL"),
        ("redis://u:hunter%@h", "has a '%' without two hexadecimal digits in its user or password; write %25 for a %"),
        ("redis://u:hunter%2@h", "has a '%' without two hexadecimal digits"),
        ("redis://u:hunter2%FF@h", "has a user or password that is not UTF-8"),
        ("redis://u:hunter2%00@h", "has a user or password that is not UTF-8"),
        ("redis://u:hunter2@x@h", "has a reserved URL character in its user or password"),
        ("redis://u:hunter2:x@h", "has a reserved URL character in its user or password; percent-encode @ as %40"),
        ("redis://u:hunter/2@h", "has a '/' before '@' in its URL; write / as %2F"),
        ("redis://u:hunter?2@h", "has a '?' or '#' in its URL"),
    ]

    @Test(arguments: urls)
    func `an invalid URL is reported with line and column`(url: String, message: String) throws {
        BrokenConfiguration.section("store: '\(url)'", "1:8 store \(message)").check()
    }

    @Test(arguments: urls) func `no message contains a part of the URL`(_ url: String, _ message: String) {
        for error in ConfigurationTesting.errors(in: "store: '\(url)'\n" + BrokenConfiguration.rest) {
            #expect(!"\(error.what); \(error.remedy)".contains("hunter"))
        }
    }

    static let mappings: [BrokenConfiguration] = [
        .section(
            "store: { uri: 'redis://h' }", "1:8 store.url", "1:10 unknown key 'uri' in store; did you mean 'url'?"),
        .section("store: { url: 'redis://h?' }", "1:15 store.url has a '?' or '#' in its URL"),
        .section("store: { url: 'sqlite:' }", "1:15 store.url has no file path"),
        .section(
            "store: { url: 'sqlite:a', password: x }", "1:27 store.password requires a Redis store; remove it"),
        .section("store: { url: 'sqlite::memory:', ca: x }", "1:34 store.ca requires a Redis store"),
        .section("store: { url: 'redis://h', ca: x }", "1:28 store.ca without TLS; write rediss:// or remove it"),
        .section(
            "store: { url: 'redis://h', certificate: x, private_key: y }", "1:28 store.cert", "1:44 store.private_key"),
        .section("store: { url: 'rediss://h', certificate: x }", "1:29 store.certificate without private_key; add"),
        .section("store: { url: 'rediss://h', private_key: x }", "1:29 store.private_key without certificate; add"),
        .section("store: { url: 'redis://h', username: x }", "1:15 store has a user but no password; add password"),
        .section("store: { url: 'redis://h', username: 5, password: y }", "1:38 store.username is '5', not a string"),
        .section("store: { url: 'redis://a:b@h', username: x }", "1:32 store.username is also set by url; remove one"),
        .section("store: { url: 'redis://:b@h', password: x }", "1:31 store.password is also set by url; remove one"),
        .section("store: { url: 'redis://h', password: [hunter2] }", "1:38 store.password is not a string"),
        .section(
            #"store: { url: 'redis://h', password: "hun\nter" }"#, "1:38 store.password contains a control character"),
        .section(
            "store: { url: 'redis://:b@h', password_file: x }", "1:31 store.password_file is a second password; remove"),
        .section(
            "store: { url: 'redis://h', password_file: x, password_command: [/x] }",
            "1:28 store.password_file is a second password", "1:46 store.password_command is a second password"),
        .section("store: { url: 'redis://h', password_refresh: 1m }", "1:28 store.password_refresh without password_c"),
        .section(
            "store: { url: 'redis://h', password_file: x, password_refresh: 1m }", "1:46 store.password_refresh without"
        ),
        .section("store: { url: 'redis://h', password_command: x }", "1:46 store.password_command is not a list"),
        .section("store: { url: 'redis://h', password_command: [] }", "1:46 store.password_command is an empty list"),
        .section("store: { url: 'redis://h', password_command: [az] }", "1:46 store.password_command does not begin"),
        .section(
            "store: { url: 'redis://h', password_command: [/x], password_refresh: 2d }", "1:70 store.password_refresh"),
        .section(
            "store: { url: 'redis://h', on_lost_store: restore, view_file: x }",
            "1:52 store.view_file with on_lost_store: restore; remove"),
        .section("store: { url: 'sqlite:a', credentials: { google_iam: {} } }", "1:27 store.credentials requires a R"),
        .section("store: { url: 'rediss://h', credentials: {} }", "1:42 store.credentials is an empty mapping"),
        .section(
            "store: { url: 'rediss://h', credentials: { aws: {} } }", "1:44 unknown key 'aws' in store.credentials"),
        .section(
            "store: { url: 'redis://h', credentials: { google_iam: {} } }",
            "1:28 store.credentials without TLS, which would show the token to the network; write rediss://"),
        .section(
            "store: { url: 'rediss+sentinel://h/n', credentials: { google_iam: {} } }",
            "1:40 store.credentials with sentinels, which managed services do not have"),
        .section(
            "store: { url: 'rediss://h', username: u, credentials: { google_iam: {} } }",
            "1:42 store.credentials has google_iam beside a username; remove username"),
        .section(
            "store: { url: 'rediss://h', credentials: { azure_entra: {} } }",
            "1:29 store.credentials has azure_entra, but store has no username; add username: the object ID"),
        .section(
            "store: { url: 'rediss://h', credentials: { aws_iam: { cache: c } } }",
            "1:29 store.credentials has aws_iam, but store has no username; add username: the ID of the user"),
        .section(
            "store: { url: 'rediss://h', credentials: { google_iam: {}, azure_entra: {} } }",
            "1:42 store.credentials has google_iam and azure_entra; remove all but one"),
        .section(
            "store: { url: 'rediss://h', password: x, credentials: { google_iam: {} } }",
            "1:42 store.credentials is a second password"),
        .section(
            "store: { url: 'rediss://h', password_file: x, credentials: { google_iam: {} } }",
            "1:29 store.password_file is a second password", "1:47 store.credentials is a second password"),
        .section(
            "store: { url: 'rediss://h', username: u, credentials: { aws_iam: { region: eu-west-1 } } }",
            "1:66 store.credentials.aws_iam has no name; add cache: NAME for ElastiCache"),
        .section(
            "store: { url: 'rediss://h', username: u, credentials: { aws_iam: { cache: a, cluster: b } } }",
            "1:66 store.credentials.aws_iam has cache and cluster"),
        .section(
            "store: { url: 'rediss://h', username: u, credentials: { aws_iam: { cluster: b, serverless: true } } }",
            "1:80 store.credentials.aws_iam.serverless without cache"),
        .section(
            "store: { url: 'rediss://h', username: u, credentials: { aws_iam: { cache: a.cache.amazonaws.com } } }",
            "1:75 store.credentials.aws_iam.cache is 'a.cache.amazonaws.com', not the name of a cache"),
        .section(
            "store: { url: 'rediss://h', username: u, credentials: { aws_iam: { cache: a, region: EU } } }",
            "1:86 store.credentials.aws_iam.region is 'EU', not a region"),
        .section(
            "store: { url: 'rediss://h', username: u, credentials: { azure_entra: { client_id: x } } }",
            "1:83 store.credentials.azure_entra.client_id is 'x', not a client ID"),
        .section("store: { url: 'sqlite:a', password_file: x }", "1:27 store.password_file requires a Redis store"),
        .section(
            "store: { url: 'redis+cluster://h', sentinel_password: x }",
            "1:36 store.sentinel_password without sentinels"
        ),
        .section("store: { url: 'redis://h', sentinel_password: x }", "1:28 store.sentinel_password without sentinels"),
        .section(
            "store: { url: 'rediss://h', sentinel_username: x }", "1:29 store.sentinel_username without sentinels"),
        .section(
            "store: { url: 'redis+sentinel://h/n', sentinel_username: x }",
            "1:15 store has a user of the sentinels but no password; add sentinel_password"),
    ]

    @Test(arguments: mappings) func `an invalid mapping is reported with line and column`(_ broken: BrokenConfiguration)
    {
        broken.check()
    }
}

/// The settings in the URL of a Redis store.
@Suite struct RedisURLTests {
    private typealias Address = RedisLocation.Address

    @Test(arguments: [
        ("redis://h", "redis://h:6379/0"), ("redis://h/", "redis://h:6379/0"), ("redis://H:1/15", "redis://h:1/15"),
        ("REDIS://127.0.0.1:65535", "redis://127.0.0.1:65535/0"), ("rediss://[::1]:7/2", "rediss://[::1]:7/2"),
        ("redis://[FE80::1]", "redis://[fe80::1]:6379/0"), ("redis://h/2147483647", "redis://h:6379/2147483647"),
        ("redis+sentinel://a,b:7,[::1]/main", "redis+sentinel://a:26379,b:7,[::1]:26379/main/0"),
        ("rediss+sentinel://a/my-master.1_x/3", "rediss+sentinel://a:26379/my-master.1_x/3"),
        ("redis+cluster://a,b:7,[::1]", "redis+cluster://a:6379,b:7,[::1]:6379/gatehouse"),
        ("rediss+cluster://u:p@a/my-tag.1_x", "rediss+cluster://u:[redacted]@a:6379/my-tag.1_x"),
        ("redis://u:p@h", "redis://u:[redacted]@h:6379/0"), ("redis://:p@h", "redis://:[redacted]@h:6379/0"),
        ("redis://a%40b:p@h/1", "redis://a%40b:[redacted]@h:6379/1"),
        ("redis+sentinel://u:p@a,b/n", "redis+sentinel://u:[redacted]@a:26379,b:26379/n/0"),
    ])
    func `a URL is shown without its password`(url: String, shown: String) throws {
        let store = try ConfigurationTesting.load(section: "store: '\(url)'").store
        #expect(store.description == shown)
    }

    @Test(arguments: [
        ("u:p", "u", "p"), (":p", nil, "p"), ("gate%2Dhouse:%40%3A%2F%25%C3%A9", "gate-house", "@:/%\u{e9}"),
        ("u:!$&'()*+;=,~", "u", "!$&'()*+;=,~"), ("%c3%a9:%5bx%5D", "\u{e9}", "[x]"),
    ])
    func `user and password are percent-decoded`(text: String, username: String?, password: String) throws {
        let url = try RedisURL(parsing: "redis://\(text)@h")
        #expect(url.username == username && url.password == Secret(password))
        #expect(url.servers == .server(Address(host: "h", port: 6379)))
    }

    @Test func `every key of a mapping is read`() throws {
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
                  view_file: /var/lib/gatehouse/view
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
        expected.viewFile = "/var/lib/gatehouse/view"
        #expect(store == .redis(expected))
    }

    @Test func `a password without a user belongs to the default user`() throws {
        let store = try ConfigurationTesting.load(section: "store: { url: 'redis://h', password: p }").store
        var expected = RedisLocation(servers: .server(Address(host: "h", port: 6379)))
        expected.account = .init(password: Secret("p"))
        #expect(store == .redis(expected))
        #expect(store.description == "redis://:[redacted]@h:6379/0")
    }

    @Test func `a password can be in a file or come from a program`() throws {
        var expected = RedisLocation(servers: .server(Address(host: "h", port: 6379)))
        expected.account = .init(username: "u", password: .file("secret"))
        var store = try ConfigurationTesting.load(
            section: "store: { url: 'redis://h', username: u, password_file: secret }"
        ).store
        #expect(store == .redis(expected))
        #expect(store.description == "redis://u:[changing]@h:6379/0")
        expected.account = .init(password: .command(["/bin/token", "-a", "-a"], every: .seconds(600)))
        store = try ConfigurationTesting.load(
            section: "store: { url: 'redis://h', password_command: [/bin/token, -a, -a] }"
        ).store
        #expect(store == .redis(expected))
        expected.account = .init(password: .command(["/bin/token"], every: .seconds(30)))
        store = try ConfigurationTesting.load(
            section: "store: { url: 'redis://h', password_command: [/bin/token], password_refresh: 30s }"
        ).store
        #expect(store == .redis(expected))
    }

    @Test(
        arguments: [
            ("u", "aws_iam: { cache: My-Cache }", .aws(.init(.replicationGroup, name: "my-cache"))),
            (
                "u", "aws_iam: { cache: c, serverless: true, region: eu-west-1 }",
                .aws(.init(.serverless, name: "c", region: "eu-west-1"))
            ),
            ("u", "aws_iam: { cache: c, serverless: false }", .aws(.init(.replicationGroup, name: "c"))),
            ("u", "aws_iam: { cluster: c }", .aws(.init(.memoryDB, name: "c"))),
            (nil, "google_iam: {}", .google(serviceAccount: nil)),
            (nil, "google_iam: { service_account: key.json }", .google(serviceAccount: "key.json")),
            ("u", "azure_entra: {}", .azure(clientID: nil)),
            (
                "u", "azure_entra: { client_id: 01234567-89ab-cdef-0123-456789abcdef }",
                .azure(clientID: "01234567-89ab-cdef-0123-456789abcdef")
            ),
        ] as [(String?, String, RedisLocation.TokenIssuer)])
    func `a managed service issues passwords`(user: String?, text: String, issuer: RedisLocation.TokenIssuer) throws {
        var expected = RedisLocation(servers: .server(Address(host: "h", port: 6379)))
        expected.account = .init(username: user, password: .issued(by: issuer))
        expected.tls = RedisLocation.TLS()
        let name = user.map { "username: \($0), " } ?? ""
        let store = try ConfigurationTesting.load(
            section: "store: { url: 'rediss://h', \(name)credentials: { \(text) } }"
        ).store
        #expect(store == .redis(expected))
        #expect(store.description == "rediss://\(user ?? ""):[changing]@h:6379/0")
    }

    @Test func `a password is never printed`() throws {
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
