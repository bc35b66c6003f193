import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

@Suite struct BrokenAccountsTests {
    static let cases: [BrokenConfiguration] = [
        accounts("true", "2:11 accounts is not a mapping"),
        accounts("{ session_keys: a }", "2:13 unknown key 'session_keys' in accounts; did you mean 'session_key'?"),
        accounts("{ demo_page: a }", "2:13 unknown key 'demo_page' in accounts"),
        accounts("{ issuer: '\(String(repeating: "i", count: 1_025))' }", "2:21 is longer than 1024 bytes"),
        accounts(
            "{ issuer: 'https://securetoken.google.com/demo' }",
            "2:13 equals the issuer of identity.firebase; use an issuer of your own"),
        accounts(
            "{ issuer: 'https://session.firebase.google.com/demo' }", "2:13 equals the issuer of identity.firebase"),
        accounts("{ session_key: [a] }", "2:26 accounts.session_key is not a string"),
        accounts(
            "{ previous_session_keys: a }",
            "2:13 accounts.previous_session_keys requires session_key; add session_key: FILE"),
        accounts(
            "{ session_key: a, previous_session_keys: [b, a] }",
            "2:56 previous_session_keys[] is the current signing key"),
        accounts("{ session_key: a, previous_session_keys: [b, b] }", "2:56 has a duplicate entry"),
        accounts(
            "{ session_key: a, previous_session_keys: [b, c, d, e, f, g, h, i, j] }",
            "2:52 has more than 8 files; remove the oldest"),
        accounts(
            "{ session_key: a }\nheaders: { assertion: { key: a } }",
            "2:13 accounts.session_key is also the assertion signing key; use a separate key"),
        accounts("{ one_account_per_email: 1 }", "2:36 not true or false"),
        accounts("{ hide_account_existence: yes }", "2:37 not true or false"),
        accounts("{ unlinked: denied }", "2:23 accounts.unlinked cannot be 'denied'; write derive or deny"),
        accounts("{ calls_per_address: … }", "2:32 out of range; write 1 to 100000", values: ["0", "100001"]),
        accounts("{ calls_per_account: 0 }", "2:32 out of range; write 1 to 100000"),
        accounts("{ calls_per_account: 1m }", "2:32 not a whole number"),
        accounts("{ firebase_users: both }", "2:29 cannot be 'both'; write separate or identity or identity_or_email"),
        accounts(
            "{ firebase_users: identity }",
            "2:13 accounts.firebase_users: identity needs revocation.source: firebase; add source: firebase"),
        accounts("{ pages: yes }", "2:20 accounts.pages is 'yes', not true or false"),
        accounts("{ pages: true }", "2:13 accounts.pages needs public_url, which the sign-ins of the page return to"),
        accounts(
            "{ pages: true, public_url: 'https://api.example.com' }",
            "2:13 accounts.pages needs a provider with a client credential, and identity.providers has none"),
        accounts("{ page: { title: a } }", "2:13 accounts.page has no effect without pages: true; add pages: true"),
        page("{ style: a }", "5:11 unknown key 'style' in accounts.page"),
        page("{}", "5:9 accounts.page is an empty mapping"),
        page(
            "{ title: '\(String(repeating: "t", count: 257))' }", "5:18 accounts.page.title is longer than 256 bytes"),
        page("{ css: [a] }", "5:16 accounts.page.css is not a string"),
        .section(
            "accounts: {}", "1:1 accounts is enabled, but identity has no source of sign-ins; add identity.firebase"),
        .section(
            "identity: { clock_skew: 1s }\naccounts: {}",
            "2:1 accounts is enabled, but identity has no source of sign-ins"),
        .section(
            "accounts: {}\nidentity: { firebase: { project: demo }, credentials: { cookie: null } }",
            "1:1 accounts needs a session cookie, and identity.credentials.cookie is null; set the cookie name there"),
    ]

    /// Errors of transmitters: the members of an entry, and a part of the message.
    static let transmitters = [
        ("provider: firebase, audiences: a", "accounts.transmitters.a.issuer is missing"),
        ("issuer: 'https://s.example', provider: firebase", "accounts.transmitters.a.audiences is missing"),
        ("issuer: 'https://s.example', audiences: a", "accounts.transmitters.a.provider is missing"),
        ("issuer: 'http://s.example', audiences: a, provider: firebase", "an http:// URL of another machine"),
        ("issuer: 'https://s.example', audiences: '*', provider: firebase", "cannot be '*'"),
        ("issuer: 'https://s.example', audiences: a, provider: apple.com", "which is not in identity.providers"),
        ("issuer: 'https://s.example', audiences: a, provider: microsoft.com", "differs between applications"),
        ("\(complete), keys_url: 'http://k.example'", "an http:// URL of another machine"),
        (
            "\(complete), keys_url: 'https://k.example', discovery_url: 'https://k.example'",
            "has no effect together with keys_url"
        ),
        ("\(complete), email_domains: '*.example.com'", "not a domain"),
        ("\(complete), email_domains: example", "not a domain"),
        ("\(complete), risk_level_change: block", "cannot be 'block'; write log or revoke"),
        ("\(complete), events_per_second: 0", "out of range; write 1 to 10000"),
        ("\(complete), poll: { authorization: x }", "accounts.transmitters.a.poll.url is missing"),
        ("\(complete), poll: { url: 'https://p.example' }", "poll.authorization is missing"),
        ("\(complete), poll: { url: 'http://p.example', authorization: x }", "an http:// URL of another machine"),
        ("\(complete), poll: { url: 'https://p.example', authorization: x, interval: 1ms }", "interval"),
        ("\(complete), unknown_users: 0", "out of range; write 1 to 1000000"),
        ("\(complete), polling: true", "unknown key 'polling'"),
        ("\(complete) }, b: { \(complete)", "accounts.transmitters.b has the issuer of 'a'; remove one of them"),
        ("\(complete) }, Okta: { \(complete)", "'Okta' is not a name; write up to 64 lower-case letters"),
    ]

    private static let complete = "issuer: 'https://s.example', audiences: a, provider: firebase"

    @Test(arguments: transmitters)
    func `each error in a transmitter is reported`(members: String, expected: String) {
        let microsoft = "microsoft.com: { audiences: m, tenants: '*' }"
        let yaml =
            "identity: { firebase: { project: demo }, providers: { \(microsoft) } }\n"
            + "accounts: { transmitters: { a: { \(members) } } }\n" + BrokenConfiguration.rest
        let errors = ConfigurationTesting.errors(in: yaml).map(\.description)
        #expect(errors.count == 1 && errors[0].contains(expected), "\(errors)")
    }

    @Test(arguments: [
        ("project: demo, tenant: '*'", "accepts several tenants, and subjects name none"),
        ("project: demo, tenant: [a]", "accepts several tenants, and subjects name none"),
    ])
    func `subjects name no user of several tenants or projects`(_ firebase: String, _ expected: String) {
        let yaml =
            "identity: { firebase: { \(firebase) } }\n"
            + "accounts: { transmitters: { a: { \(Self.complete) } } }\n" + BrokenConfiguration.rest
        let errors = ConfigurationTesting.errors(in: yaml).map(\.description)
        #expect(errors.count == 1 && errors[0].contains(expected), "\(errors)")
    }

    @Test(arguments: [
        ("firebase: { projects: [{ project: a }, { project: b }] }", "with several Firebase projects or tenants"),
        ("firebase: { project: a, tenant: '*' }", "with several Firebase projects or tenants"),
        ("firebase: { project: a, tenant: [t, u] }", "with several Firebase projects or tenants"),
    ])
    func `an identity names no project and no tenant`(_ identity: String, _ expected: String) {
        let yaml =
            "identity: { \(identity) }\naccounts: { firebase_users: identity_or_email }\n"
            + "revocation: { source: firebase }\n" + BrokenConfiguration.rest
        let errors = ConfigurationTesting.errors(in: yaml).map(\.description)
        #expect(errors.count == 1 && errors[0].contains(expected), "\(errors)")
    }

    @Test func `Firebase users need a Firebase project`() {
        let yaml =
            "identity: { providers: { oidc.corp: { issuer: 'https://id.corp.example', audiences: a } } }\n"
            + "accounts: { firebase_users: identity }\n" + BrokenConfiguration.rest
        let errors = ConfigurationTesting.errors(in: yaml).map(\.description)
        #expect(errors.count == 1 && errors[0].contains("without a Firebase project"), "\(errors)")
    }

    static let stores = [
        "redis://r", "rediss://r", "redis+sentinel://s1,s2/main", "rediss+sentinel://s1/main", "{ url: 'redis://r' }",
    ]

    private static func page(_ yaml: String, _ expected: String) -> BrokenConfiguration {
        let flow = "github.com: { client_id: a, client_secret: b }"
        return .section(
            """
            identity: { providers: { \(flow) } }
            accounts:
              pages: true
              public_url: https://api.example.com
              page: \(yaml)
            """, expected)
    }

    private static func accounts(_ yaml: String, _ expected: String, values: [String] = []) -> BrokenConfiguration {
        .section("identity: { firebase: { project: demo } }\naccounts: \(yaml)", expected, values: values)
    }

    @Test(arguments: cases)
    func `each error in accounts is reported with line and column`(broken: BrokenConfiguration) { broken.check() }

    @Test(arguments: stores) func `a shared store needs the session key in a file`(_ store: String) throws {
        let expected =
            "2:1 accounts.session_key is missing; the gateways cannot share a generated key, since a shared store contains no secrets; add session_key: FILE"
        Self.accounts("{}\nstore: \(store)", expected).check()
        let yaml = "identity: { firebase: { project: demo } }\naccounts: { session_key: s.pem }\nstore: \(store)"
        #expect(throws: Never.self) { try ConfigurationTesting.load(section: yaml) }
    }

    @Test func `the issuer of a provider is not the issuer of the gateway`() {
        let yaml = """
            identity: { providers: { oidc.corp: { issuer: 'https://id.corp.example', audiences: a } } }
            accounts: { issuer: 'https://id.corp.example' }
            """
        BrokenConfiguration.section(
            yaml, "2:13 accounts.issuer equals the issuer of 'oidc.corp'; use an issuer of your own"
        )
        .check()
    }

    @Test func `errors elsewhere in the file are not attributed to accounts`() {
        BrokenConfiguration.section(
            "identity: { firebase: { project: a/b } }\nstore: redis:r\naccounts: {}", "1:34 not a project id",
            "2:8 store"
        ).check()
    }
}

@Suite struct BrokenOriginTests {
    static let cases: [BrokenConfiguration] = [
        origin("app.example", "is no origin; write https://HOST, or https://HOST:PORT"),
        origin("'*'", "is an origin with a wildcard"),
        origin("'https://*.app.example'", "is an origin with a wildcard"),
        origin("'null'", "is null, an origin that any page can send; remove it"),
        origin("null", "accounts.origins[] is null; write a value, or remove it"),
        origin("NULL", "accounts.origins[] is null; write a value, or remove it"),
        origin("ftp://app.example", "is a URL whose scheme is neither http nor https"),
        origin("capacitor://localhost", "is a URL whose scheme is neither http nor https"),
        origin("https://", "is an address without a host"),
        origin("https://ada@app.example", "is an address with a user or password"),
        origin("https://app.example:0", "is a URL with port 0"),
        origin("https://app.example:65536", "is an address with an invalid port"),
        origin("'https://app.example:'", "is an address with an invalid port"),
        origin("'https://app example'", "is an address with an invalid host"),
        origin("https://bücher.example", "is an address with an invalid host"),
        origin("https://app.example.", "is an address with an invalid host"),
        origin(
            "https://app.example/",
            "is 'https://app.example/', not in the form that browsers send; write https://app.example"),
        origin("https://app.example/a?b", "not in the form that browsers send; write https://app.example"),
        origin("https://app.example:443", "not in the form that browsers send; write https://app.example"),
        origin("http://localhost:80", "not in the form that browsers send; write http://localhost"),
        origin("HTTPS://app.example", "not in the form that browsers send; write https://app.example"),
        origin("https://App.example:8443", "not in the form that browsers send; write https://app.example:8443"),
        origin("'https://[::1]:443'", "not in the form that browsers send; write https://[::1]"),
        .section(Self.start + "[https://a.example, https://a.example]", "4:24 accounts.origins has a duplicate entry"),
        .section(
            Self.start + "[\((0..<65).map { "https://a\($0)" }.joined(separator: ","))]", "4:4 more than 64 origins"),
        .section(
            Self.start + "['${ORIGIN}']",
            "4:5 is '${ORIGIN}', not in the form that browsers send; write scheme and host in lower",
            environment: ["ORIGIN": "https://app.example/"]),
    ]

    private static let start = "identity: { firebase: { project: demo } }\naccounts:\n  origins:\n   "

    private static func origin(_ text: String, _ expected: String) -> BrokenConfiguration {
        .section("\(start)[\(text)]", "4:5 \(expected)")
    }

    @Test(arguments: cases)
    func `an invalid origin is reported with line and column`(broken: BrokenConfiguration) { broken.check() }

    @Test(arguments: [
        "https://app.example", "https://app.example:8443", "http://localhost:5173", "http://127.0.0.1",
        "https://[::1]:8443", "https://xn--bcher-kva.example", "https://a_b.example",
    ]) func `an origin in the form that browsers send is read`(_ origin: String) throws {
        let configuration = try ConfigurationTesting.load(section: "\(Self.start)['\(origin)']")
        #expect(configuration.accounts?.origins == [origin] && configuration.warnings.isEmpty)
    }
}
