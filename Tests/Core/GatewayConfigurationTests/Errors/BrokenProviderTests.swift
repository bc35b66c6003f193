import GatewayCore
import Testing

@testable import CoreFixtures

/// Errors in the ids of `identity.providers` and in the keys of ID tokens.
@Suite struct BrokenProviderTests {
    static let ids: [BrokenConfiguration] = [
        .section("identity: { providers: [apple.com] }", "1:24 identity.providers is not a mapping"),
        provider("aple.com", "{}", "3:5 there is no provider 'aple.com'; did you mean 'apple.com'?"),
        provider("google", "{}", "3:5 there is no provider 'google'; did you mean 'google.com'?"),
        provider("Google.com", "{}", "3:5 there is no provider 'Google.com'; did you mean 'google.com'?"),
        provider(
            "twitter.com", "{}", "3:5 there is no provider 'twitter.com'; the providers are apple.com, google.com"),
        provider("saml.corp", "{}", "3:5 there is no provider 'saml.corp'; the providers are"),
        provider("oidc", "{}", "3:5 there is no provider 'oidc'; the providers are"),
        provider(
            "oidc.", "{}", "3:5 'oidc.' is not a provider id; write oidc.NAME, where NAME is up to 64 lower-case"),
        provider("oidc.Corp", "{}", "3:5 'oidc.Corp' is not a provider id"),
        provider("oidc.a.b", "{}", "3:5 'oidc.a.b' is not a provider id"),
        provider("oauth.a_b", "{}", "3:5 'oauth.a_b' is not a provider id; write oauth.NAME"),
        provider("oauth.\(String(repeating: "x", count: 65))", "{}", "3:5 is not a provider id"),
        provider("apple.com", "{ audiences: a }\n    apple.com: { audiences: b }", "4:5 duplicate key 'apple.com'"),
        .section(
            "identity:\n  providers:\n"
                + (0...64).map { "    oauth.a\($0): {}\n" }.joined(), "3:5 identity.providers has more than 64 entries"),
    ]

    static let audiences: [BrokenConfiguration] = [
        provider("apple.com", "{}", "3:16 identity.providers.apple.com.audiences is missing; add audiences: [ID]"),
        apple("audiences: []", "4:18 audiences is an empty list"), apple("audiences: ''", "4:18 audiences is empty"),
        apple("audiences: [a, '']", "4:22 audiences[] is empty"),
        apple("audiences: [a, a]", "4:22 has a duplicate entry"),
        apple("audiences: ['*']", "4:19 cannot be '*', since tokens of other apps would be accepted; list the ids"),
        apple("audiences: [1]", "4:19 is '1', not a string; put it in quotes"),
        apple("audiences: { a: b }", "4:18 audiences is not a list"),
        apple(
            "audiences: [\((0...64).map { "a\($0)" }.joined(separator: ", "))]",
            "4:18 identity.providers.apple.com.audiences has more than 64 entries"),
        apple("audience: [a]", "4:7 unknown key 'audience'", "4:7 audiences is missing"),
    ]

    static let tokens: [BrokenConfiguration] = [
        apple("issuer: apple", "5:15 issuer is not an absolute URL"),
        apple("issuer: http://appleid.example", "5:15 where an attacker on the network could issue tokens; use https"),
        apple("issuer: https://a.example?b", "5:15 issuer is a URL with a query"),
        apple("issuer: https://a.example#b", "5:15 issuer is a URL with a fragment"),
        apple("keys_url: http://10.0.0.1/keys", "5:17 where an attacker on the network could replace the keys"),
        apple("keys_url: https://user:hunter2@a.example/", "5:17 an address with a user or password"),
        apple("keys_url: https://a.example:0/", "5:17 a URL with port 0"),
        apple("discovery_url: https://a.example/", "5:7 unknown key 'discovery_url'"),
        apple("hosted_domain: example.com", "5:7 unknown key 'hosted_domain' in identity.providers.apple.com"),
        apple("tenants: '*'", "5:7 unknown key 'tenants'"),
        apple("algorithms: [none]", "5:20 cannot be 'none', since anyone can create unsigned tokens; write RS256"),
        apple("algorithms: None", "5:19 cannot be 'none'"),
        apple(
            "algorithms: [HS256]", "5:20 cannot be 'HS256', since the secret that verifies a token can also create one"),
        apple("algorithms: [hs512]", "5:20 cannot be 'hs512', since the secret that verifies a token"),
        apple("algorithms: [rs256]", "5:20 cannot be 'rs256'; did you mean 'RS256'?"),
        apple("algorithms: [A128KW]", "5:20 cannot be 'A128KW'; write some of RS256, RS384"),
        apple("algorithms: [RS256, RS256]", "5:27 has a duplicate entry"),
        apple("second_factor: required", "5:22 second_factor is not a mapping"),
        apple("second_factor: { arm: [mfa] }", "5:24 unknown key 'arm'"),
        apple("second_factor: { amr: ['a b'] }", "5:30 is 'a b', which is invalid in a challenge"),
        apple("second_factor: { acr: ['a\"b'] }", "5:30 is 'a\"b', which is invalid in a challenge"),
        apple("insecure_http: sure", "5:22 not true or false"),
        provider(
            "google.com", "{ audiences: a, hosted_domain: example }", "3:48 is 'example', not a domain; write the"),
        provider("google.com", "{ audiences: a, hosted_domain: '*.example.com' }", "3:48 not a domain"),
        provider("google.com", "{ audiences: a, hosted_domain: '@example.com' }", "3:48 not a domain"),
        provider("google.com", "{ audiences: a, hosted_domain: 10.0.0.1 }", "3:48 not a domain"),
        provider("oidc.corp", "{ audiences: a }", "3:16 identity.providers.oidc.corp.issuer is missing; add issuer"),
        provider(
            "oidc.corp", "{ audiences: a, issuer: 'http://id.example' }", "3:40 use https://, or set insecure_http"),
        provider(
            "oidc.corp",
            "{ audiences: a, issuer: 'https://a.b', keys_url: 'https://a.b/k', discovery_url: 'https://a.b/d' }",
            "3:82 discovery_url has no effect together with keys_url; remove one of them"),
        provider(
            "linkedin.com", "{ audiences: a, discovery_url: 'ftp://a.b' }",
            "3:50 a URL whose scheme is neither http nor https"),
    ]

    /// A configuration with one provider, on line 3.
    private static func provider(_ id: String, _ value: String, _ expected: String...) -> BrokenConfiguration {
        BrokenConfiguration(
            yaml: "identity:\n  providers:\n    \(id): \(value)\n" + BrokenConfiguration.rest, expected: expected)
    }

    /// A configuration with one key of `apple.com`, on line 4 if it is the audience, otherwise on line 5 after the
    /// audience.
    private static func apple(_ line: String, _ expected: String...) -> BrokenConfiguration {
        let before = line.hasPrefix("audience") ? "" : "      audiences: a\n"
        return BrokenConfiguration(
            yaml: "identity:\n  providers:\n    apple.com:\n\(before)      \(line)\n" + BrokenConfiguration.rest,
            expected: expected)
    }

    @Test(arguments: ids) func `an invalid provider id is reported with line and column`(_ broken: BrokenConfiguration)
    { broken.check() }

    @Test(arguments: audiences)
    func `an invalid audience is reported with line and column`(broken: BrokenConfiguration) { broken.check() }

    @Test(arguments: tokens)
    func `each error in a key of ID tokens is reported with line and column`(broken: BrokenConfiguration) {
        broken.check()
    }
}

@Suite struct BrokenOpaqueProviderTests {
    static let cases: [BrokenConfiguration] = [
        provider("facebook.com", "{}", "app_id is missing; add app_id"),
        provider("facebook.com", "{ app_id: 1 }", "2:40 app_id is '1', not a string; put it in quotes"),
        provider("facebook.com", "{ app_id: 'a|b' }", "2:40 app_id is 'a|b', not an id"),
        provider("facebook.com", "{ app_id: a, audiences: b }", "2:43 unknown key 'audiences'"),
        provider("facebook.com", "{ app_id: a, app_secret: [hunter2] }", "2:55 app_secret is not a string"),
        provider(
            "facebook.com", "{ app_id: a, rate: 5 }",
            "2:43 rate has no effect without app_secret, since access tokens are not accepted"),
        provider(
            "facebook.com", "{ app_id: a, token_check_url: 'https://a.b' }",
            "2:43 token_check_url has no effect without app_secret"),
        provider("github.com", "{}", "client_id is missing", "client_secret is missing"),
        provider("github.com", "{ client_id: a/../b, client_secret: b }", "2:41 client_id is 'a/../b', not an id"),
        github(
            "token_check_url: 'http://a.example/'",
            "2:85 where an attacker on the network could read tokens and secrets"),
        github("audiences: a", "2:68 unknown key 'audiences'"), github("cache_for: 61m", "2:79 write 0s to 1h"),
        github("cache_refused_for: 301s", "2:87 write 0s to 5m"), github("concurrency: 0", "2:81 write 1 to 256"),
        github("concurrency: 257", "2:81 write 1 to 256"), github("rate: 0", "2:74 write 1 to 10000"),
        github("rate: 10001", "2:74 write 1 to 10000"), github("timeout: 9ms", "2:77 write 10ms to 5s"),
        github("timeout: 6s", "2:77 write 10ms to 5s"),
        provider(
            "oauth.x", "{}", "introspection_url is missing", "client_id is missing", "client_secret is missing",
            "audiences is missing"),
        oauth("client_authentication: mtls", "client_authentication cannot be 'mtls'; write basic or post"),
        oauth("insecure_http: 1", "insecure_http is '1', not true or false"),
    ]

    /// A configuration with one provider, on line 2. By default the error is located at the entry.
    private static func provider(_ id: String, _ value: String, _ expected: String...) -> BrokenConfiguration {
        let place = "2:\("  providers: { \(id): ".count + 1)"
        return BrokenConfiguration(
            yaml: "identity:\n  providers: { \(id): \(value) }\n" + BrokenConfiguration.rest,
            expected: expected.map { $0.first?.isNumber == true ? $0 : "\(place) \($0)" })
    }

    private static func github(_ line: String, _ expected: String) -> BrokenConfiguration {
        provider("github.com", "{ client_id: a, client_secret: hunter2, \(line) }", expected)
    }

    private static func oauth(_ line: String, _ expected: String) -> BrokenConfiguration {
        let before = "{ introspection_url: 'https://a.b', client_id: c, client_secret: d, audiences: e, "
        let column = "  providers: { oauth.x: \(before)\(line.prefix { $0 != ":" }): ".count + 1
        return provider("oauth.x", "\(before)\(line) }", "2:\(column) \(expected)")
    }

    @Test(arguments: cases)
    func `each error in an opaque provider is reported with line and column`(broken: BrokenConfiguration) {
        broken.check()
    }

    @Test(arguments: cases) func `no message contains a secret`(_ broken: BrokenConfiguration) {
        for error in ConfigurationTesting.errors(in: broken.yaml) {
            #expect(!"\(error.what); \(error.remedy)".contains("hunter"))
        }
    }
}
