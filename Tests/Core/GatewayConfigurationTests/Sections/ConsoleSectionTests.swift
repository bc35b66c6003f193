import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

/// The sign-in to the operators' console at a provider (`admin.console.sign_in`).
@Suite struct ConsoleSectionTests {
    private static let token = "token: 0123456789abcdef"
    private static let client = "client_id: gw, client_secret: s3cret-s3cret-s3cret"

    /// The sections of a complete configuration.
    ///
    /// - Parameters:
    ///   - more: Further keys of `admin`.
    ///   - provider: The entry of `identity.providers`. `nil` for one of Google with a client credential.
    private static func sections(_ signIn: String, more: String = "", provider: String? = nil) -> String {
        let provider = provider ?? "google.com: { audiences: [gw], \(client) }"
        return """
            identity: { providers: { \(provider) } }
            accounts: { public_url: 'https://app.example' }
            admin: { \(token), console: { sign_in: { \(signIn) } }\(more) }
            """
    }

    private static func load(_ text: String) throws -> Configuration { try ConfigurationTesting.load(section: text) }

    private static func problem(_ text: String) -> String {
        ConfigurationTesting.errors(in: text + "\n" + BrokenConfiguration.rest).map { "\($0)" }.joined(separator: "\n")
    }

    @Test func `addresses are normalized, and the address of the console has no final slash`() throws {
        let admin = try Self.load(
            Self.sections(
                "provider: google.com, public_url: 'https://ops.example/gate/', operators: Ada@Example.com, "
                    + "viewers: [grace@example.com, alan@example.com]")
        ).admin
        let signIn = try #require(admin.signIn)
        #expect(admin.console && signIn.provider == "google.com" && signIn.operators == ["ada@example.com"])
        #expect(signIn.viewers == ["grace@example.com", "alan@example.com"])
        #expect(signIn.publicURL == "https://ops.example/gate" && signIn.path == "/gate/console/")
        #expect(signIn.redirectURI == "https://ops.example/gate/console/callback")
        #expect(admin.publicURL == nil && admin.consoleOrigin == "https://ops.example")
    }

    @Test func `the address of the console is that of admin unless it has its own`() throws {
        let admin = try Self.load(
            Self.sections("provider: google.com, operators: a@b.example", more: ", public_url: 'https://ops.example'")
        ).admin
        #expect(admin.signIn?.redirectURI == "https://ops.example/console/callback")
        let local = try Self.load(
            Self.sections("provider: google.com, public_url: 'http://127.0.0.1:9901', operators: a@b.example")
        ).admin
        #expect(local.signIn?.path == "/console/" && local.consoleOrigin == "http://127.0.0.1:9901")
    }

    @Test func `conditions take the place of the lists`() throws {
        let text = Self.sections(
            "provider: google.com, public_url: 'http://127.0.0.1:9901', operator_if: \"'ops' in token.groups\", "
                + "viewer_if: auth.token.email_verified")
        let configuration = try Self.load(text)
        let signIn = try #require(configuration.admin.signIn)
        #expect(signIn.operatorCondition?.expression.text == "'ops' in token.groups")
        #expect(signIn.viewerCondition?.expression.text == "auth.token.email_verified")
        #expect(!configuration.warnings.contains { "\($0)".contains("admin.console") })
    }

    @Test(arguments: [
        ("operator_if: 'token.email =='", "operator_if at character"),
        ("operator_if: 'request.host == 1'", "operator_if at character 1"),
        ("viewer_if: token.groups.size()", "a condition must be a bool"),
        ("viewer_if: '${GROUP:-a} == 1'", "is an expression that contains ${...}"),
        ("viewer_if: ''", "viewer_if is empty"),
    ])
    func `a condition that cannot be evaluated is an error at its place`(condition: String, problem: String) {
        let signIn = "provider: google.com, public_url: 'https://o.example', \(condition)"
        let errors = Self.problem(Self.sections(signIn))
        #expect(errors.contains(problem) && errors.contains(":3:"), "\(errors)")
    }

    @Test func `a boolean serves the console without a provider`() throws {
        let on = try Self.load("admin: { \(Self.token), console: true }").admin
        let off = try Self.load("admin: { \(Self.token), console: false }").admin
        #expect(on.console && on.signIn == nil && !off.console)
    }

    @Test func `only the address needs a restart`() throws {
        let url = "public_url: 'https://ops.example'"
        let admin = try Self.load(Self.sections("provider: google.com, \(url), operators: a@b.example")).admin
        let others = try Self.load(Self.sections("provider: google.com, \(url), viewers: [c@d.example]")).admin
        let elsewhere = try Self.load(
            Self.sections("provider: google.com, public_url: 'https://new.example', operators: a@b.example")
        ).admin
        #expect(admin != others && admin.fixed == others.fixed && admin.fixed != elsewhere.fixed)
    }

    @Test(arguments: [
        ("operators: a@b.example", "admin.console.sign_in.provider is missing"),
        ("provider: google.com, operators: a@b.example", "needs the address at which browsers reach the console"),
        ("provider: google.com, public_url: 'http://ops.example', operators: a@b.example", "without TLS"),
        ("provider: google.com, public_url: 'https://OPS.example', operators: a@b.example", "not in the form"),
        ("provider: google.com, public_url: 'https://ops.example/a//b', operators: a@b.example", "not in the form"),
        ("provider: google.com, public_url: 'https://ops.example/../b', operators: a@b.example", "not in the form"),
        ("provider: google.com, public_url: 'https://ops.example/a?b', operators: a@b.example", "not in the form"),
        ("provider: google.com, public_url: 'https://ops.example/%61', operators: a@b.example", "not in the form"),
        ("provider: google.com, public_url: 'https://*.example', operators: a@b.example", "wildcard"),
        ("provider: google.com, public_url: 'https://o.example', operators: '@b.example'", "many addresses"),
        ("provider: google.com, public_url: 'https://o.example', operators: ['*@b.example']", "many addresses"),
        ("provider: google.com, public_url: 'https://o.example', operators: b.example", "not an e-mail address"),
        ("provider: google.com, public_url: 'https://o.example', viewers: ['\u{430}da@b.example']", "not an e-mail"),
        ("provider: google.com, public_url: 'https://o.example', viewers: [a@b.c, A@B.c]", "a duplicate entry"),
        ("provider: google.com, public_url: 'https://o.example', admins: [a@b.c]", "unknown key 'admins'"),
        ("provider: yahoo.com, public_url: 'https://o.example', viewers: [a@b.c]", "identity.providers has no"),
    ])
    func `a sign-in that cannot work is an error`(signIn: String, problem: String) {
        #expect(Self.problem(Self.sections(signIn)).contains(problem))
    }

    @Test(arguments: [
        ("microsoft.com: { audiences: [gw], tenants: '*', \(client) }", "does not prove that a user owns an address"),
        ("github.com: { \(client) }", "does not prove that a user owns an address"),
        ("linkedin.com: { audiences: [gw], \(client) }", "has neither PKCE nor a nonce"),
        ("yahoo.com: { audiences: [gw] }", "has no client credential"),
    ])
    func `O-22: a provider that cannot prove an address is an error`(provider: String, problem: String) {
        let id = provider.prefix { $0 != ":" }
        let signIn = "provider: \(id), public_url: 'https://o.example', operators: a@b.example"
        #expect(Self.problem(Self.sections(signIn, provider: provider)).contains(problem))
    }

    @Test func `another origin than that of admin is an error`() {
        let text = Self.sections(
            "provider: google.com, public_url: 'https://a.example', operators: a@b.example",
            more: ", public_url: 'https://b.example'")
        #expect(Self.problem(text).contains("of another origin than admin.public_url"))
    }

    @Test(arguments: [
        ("operators: [], viewers: []", "", "has neither addresses nor a condition"),
        ("operators: []", "", "has neither addresses nor a condition"),
        ("operator_if: 'true'", "", "operator_if at character 1: this is always true"),
        ("viewer_if: false", "", "viewer_if at character 1: this is never true"),
        ("operators: a@b.example, viewers: a@b.example", "", "is in operators and in viewers"),
        ("operators: a@b.example", ", address: '10.0.0.1:9901'", "the cookies of their sign-in to the console without"),
    ])
    func `a questionable sign-in produces a warning`(lists: String, more: String, warning: String) throws {
        let signIn = "provider: google.com, public_url: 'http://127.0.0.1:9901', \(lists)"
        let warnings = try Self.load(Self.sections(signIn, more: more)).warnings.map { "\($0)" }
        #expect(warnings.contains { $0.contains(warning) }, "\(warnings)")
    }
}
