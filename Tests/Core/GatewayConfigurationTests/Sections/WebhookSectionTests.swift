import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

/// The keys of the outbox: `accounts.webhook`, `accounts.token_keys`, and `revoke_at_provider` of providers.
@Suite struct WebhookSectionTests {
    private static let key = String(repeating: "k", count: 32)

    private func load(_ accounts: String, providers: String? = nil) throws -> Configuration {
        let entries = providers.map { ", providers: \($0)" } ?? ""
        let identity = "identity: { firebase: { project: p }\(entries) }\n"
        return try ConfigurationTesting.load(section: identity + "accounts: \(accounts)")
    }

    @Test func `secrets of a webhook are decoded, the current one first`() throws {
        let secret = "whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="
        let old = "whsec_/////////////////////////////////////////w=="
        let one = try load("{ webhook: { url: 'https://a.example/x', secret: '\(secret)' } }")
        let expected = Secret(Array(repeating: 1, count: 32))
        #expect(one.accounts?.webhook == .init(url: "https://a.example/x", secrets: [expected]) && one.hasOutbox)
        let two = try load("{ webhook: { url: 'http://127.0.0.1:1/', secret: ['\(secret)', '\(old)'] } }")
        #expect(two.accounts?.webhook?.secrets == [expected, Secret(Array(repeating: 255, count: 31))])
        #expect(try !load("{}").hasOutbox)
    }

    @Test func `the URLs that revoke tokens are built in, or those of the configuration`() throws {
        let client = "client_id: c, client_secret: s"
        let providers = """
            { google.com: { \(client), revoke_at_provider: true },
              apple.com: { client_id: c, team_id: t, key_id: k, private_key: f, revoke_at_provider: true },
              github.com: { \(client), revoke_at_provider: true },
              oidc.corp: { issuer: 'https://corp.example', \(client), revoke_at_provider: true },
              yahoo.com: { \(client), revoke_at_provider: true, revocation_url: 'https://y.example/revoke' },
              linkedin.com: { \(client) } }
            """
        let accounts = "{ public_url: 'https://a.example', token_keys: \(Self.key) }"
        let configuration = try load(accounts, providers: providers)
        let flows = configuration.identity.providers.map { ($0.id, $0.codeFlow) }
        let urls = Dictionary(uniqueKeysWithValues: flows.map { ($0.0, $0.1?.revocationURL) })
        #expect(urls["google.com"] == "https://oauth2.googleapis.com/revoke")
        #expect(urls["apple.com"] == "https://appleid.apple.com/auth/revoke")
        #expect(urls["github.com"] == "https://api.github.com/applications/c/grant")
        #expect(urls["oidc.corp"] == .some(nil) && urls["yahoo.com"] == "https://y.example/revoke")
        #expect(flows.filter { $0.1?.revokesTokens == true }.count == 5 && configuration.hasOutbox)
        #expect(configuration.accounts?.tokenKeys == [Secret(Self.key)])
    }

    @Test func `the keys of callbacks are read`() throws {
        let providers = """
            { facebook.com: { app_id: "1", app_secret: s, deletion_status_url: 'https://a.example/d' },
              github.com: { client_id: c, client_secret: s, webhook_secret: w } }
            """
        let configuration = try load("{ public_url: 'https://a.example' }", providers: providers)
        #expect(configuration.identity.providers.first?.deletionStatusURL == "https://a.example/d")
        #expect(configuration.identity.providers.last?.webhookSecret == Secret("w"))
    }

    private static let client = "client_id: c, client_secret: s"

    @Test(arguments: [
        ("", "webhook: { url: 'https://a.example' }", "accounts.webhook.secret is missing"),
        ("", "webhook: { secret: whsec_x }", "accounts.webhook.url is missing"),
        ("", "webhook: { url: 'http://a.example', secret: whsec_x }", "an attacker on the network could read"),
        ("", "webhook: { url: 'https://a.example', secret: AQEB }", "is not whsec_ and base64 of 24 to 64 bytes"),
        ("", "webhook: { url: 'https://a.example', secret: whsec_AQEB }", "is not whsec_ and base64"),
        ("", "webhook: { url: 'https://a.example', secret: whsec_* }", "is not whsec_ and base64"),
        ("", "token_keys: short", "accounts.token_keys is shorter than 32 bytes"),
        (
            "{ google.com: { \(client), revoke_at_provider: true } }", "public_url: 'https://a.example'",
            "accounts.token_keys is missing, and identity.providers.google.com keeps tokens"
        ),
        (
            "{ microsoft.com: { tenants: '*', \(client), revoke_at_provider: true } }", "token_keys: \(key)",
            "revoke_at_provider: the URL that revokes tokens is not known; remove it"
        ),
        (
            "{ linkedin.com: { \(client), revoke_at_provider: true } }", "token_keys: \(key)",
            "the URL that revokes tokens is not known; add revocation_url"
        ),
        (
            "{ google.com: { \(client), revocation_url: 'https://g.example' } }", "token_keys: \(key)",
            "revocation_url has no effect without revoke_at_provider: true"
        ),
        (
            "{ google.com: { audiences: a, revoke_at_provider: true } }", "token_keys: \(key)",
            "revoke_at_provider has no effect without a client credential"
        ),
        (
            "{ facebook.com: { app_id: '1', deletion_status_url: 'https://a.example' } }", "token_keys: \(key)",
            "deletion_status_url has no effect without app_secret"
        ),
    ])
    func `an invalid section is rejected`(providers: String, accounts: String, message: String) {
        let yaml = """
            identity: { firebase: { project: p }\(providers.isEmpty ? "" : ", providers: \(providers)") }
            accounts: { \(accounts) }

            """
        let errors = ConfigurationTesting.errors(in: yaml + BrokenConfiguration.rest).map { "\($0.what); \($0.remedy)" }
        #expect(errors.contains { $0.contains(message) }, "\(errors)")
    }
}
