import GatewayCore
import Testing

@testable import CoreFixtures

@Suite struct BrokenOpaqueProviderTests {
    static let cases: [BrokenConfiguration] = [
        provider("facebook.com", "{}", "app_id is missing; add app_id"),
        provider("facebook.com", "{ app_id: 1 }", "2:40 app_id is '1', not a text; put it in quotes"),
        provider("facebook.com", "{ app_id: 'a|b' }", "2:40 app_id is 'a|b', not an id"),
        provider("facebook.com", "{ app_id: a, audiences: b }", "2:43 unknown key 'audiences'"),
        provider("facebook.com", "{ app_id: a, app_secret: '' }", "2:55 app_secret is empty; write a value"),
        provider("facebook.com", "{ app_id: a, app_secret: [hunter2] }", "2:55 app_secret is not a text"),
        provider("facebook.com", "{ app_id: a, rate: 5 }", "2:43 rate without app_secret: access tokens do not count"),
        provider(
            "facebook.com", "{ app_id: a, token_check_url: 'https://a.b' }", "2:43 token_check_url without app_secret"),
        provider("github.com", "{}", "client_id is missing", "client_secret is missing"),
        provider("github.com", "{ client_id: a/../b, client_secret: b }", "2:41 client_id is 'a/../b', not an id"),
        github("token_check_url: 'http://a.example/'", "2:85 where anybody on the way could read tokens and secrets"),
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

    /// One provider, on line 2. Messages without a place are told of the entry.
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

    @Test(arguments: cases) func isReportedWithLineAndColumn(_ broken: BrokenConfiguration) { broken.check() }

    @Test(arguments: cases) func noMessageShowsASecret(_ broken: BrokenConfiguration) {
        for error in ConfigurationTesting.errors(in: broken.yaml) {
            #expect(!"\(error.what); \(error.remedy)".contains("hunter"))
        }
    }
}
