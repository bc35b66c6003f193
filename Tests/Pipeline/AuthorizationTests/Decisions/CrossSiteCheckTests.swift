import Authorization
import HTTPWire
import Testing

@testable import CoreFixtures

@Suite struct CrossSiteCheckTests {
    typealias Finding = CrossSiteCheck.Finding

    /// The fields of a request to `Host: HOST`, and what they say where `https://app.example` and `http://dev.example:5173` may call.
    struct Row: CustomTestStringConvertible, Sendable {
        let host: String
        let fields: [String]
        let finding: Finding

        init(_ host: String = "api.example", _ fields: String..., says finding: Finding) {
            (self.host, self.fields, self.finding) = (host, fields, finding)
        }

        var testDescription: String { ([host] + fields).joined(separator: " | ") }
    }

    private static let check = CrossSiteCheck(origins: ["https://app.example", "http://dev.example:5173"])

    private func finding(_ row: Row, target: String = "/x") throws -> (Finding, Bool) {
        let fields = row.fields.map { "\($0)\r\n" }.joined()
        return try withRequest("POST \(target) HTTP/1.1\r\nHost: \(row.host)\r\n\(fields)\r\n") {
            (Self.check.finding(in: $0), Self.check.passes($0))
        }
    }

    static let sites: [Row] = [
        Row(says: .noBrowser),
        Row("api.example", "Sec-Fetch-Site: same-origin", says: .sameOrigin),
        Row("api.example", "sec-fetch-site:none", says: .sameOrigin),
        Row("api.example", "Sec-Fetch-Site: same-site", says: .otherSite),
        Row("api.example", "Sec-Fetch-Site: cross-site", says: .otherSite),
        Row("api.example", "Sec-Fetch-Site:", says: .otherSite),
        Row("api.example", "Sec-Fetch-Site: Same-Origin", says: .otherSite),
        Row("api.example", "Sec-Fetch-Site: same-origin, cross-site", says: .otherSite),
        Row("api.example", "Sec-Fetch-Site: same-originx", says: .otherSite),
        Row("api.example", "Sec-Fetch-Site: same-origin;a=1", says: .otherSite),
        Row("api.example", "Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty", says: .noBrowser),
        Row("api.example", "Sec_Fetch_Site: cross-site", says: .noBrowser),
        Row("api.example", "Referer: https://evil.example/", says: .noBrowser),
        // What the browser says of the site decides; an `Origin` beside it does not, as behind a proxy that sets `Host`.
        Row("10.0.0.1:8080", "Sec-Fetch-Site: same-origin", "Origin: https://api.example", says: .sameOrigin),
        Row("api.example", "Sec-Fetch-Site: same-origin", "Origin: null", says: .sameOrigin),
        Row("api.example", "Sec-Fetch-Site: cross-site", "Origin: https://api.example", says: .otherSite),
        Row("api.example", "Sec-Fetch-Site: same-site", "Origin: https://api.example", says: .otherSite),
    ]

    static let listed: [Row] = [
        Row("api.example", "Origin: https://app.example", says: .listedOrigin),
        Row("api.example", "Origin: http://dev.example:5173", says: .listedOrigin),
        Row("api.example", "Sec-Fetch-Site: cross-site", "Origin: https://app.example", says: .listedOrigin),
        Row("api.example", "Sec-Fetch-Site: same-site", "Origin: https://app.example", says: .listedOrigin),
        Row("api.example", "Origin: http://app.example", says: .otherOrigin),
        Row("api.example", "Origin: https://app.example:443", says: .otherOrigin),
        Row("api.example", "Origin: https://app.example:8443", says: .otherOrigin),
        Row("api.example", "Origin: https://app.example/", says: .otherOrigin),
        Row("api.example", "Origin: https://APP.example", says: .otherOrigin),
        Row("api.example", "Origin: https://app.example.", says: .otherOrigin),
        Row("api.example", "Origin: https://x.app.example", says: .otherOrigin),
        Row("api.example", "Origin: https://app.example.evil.example", says: .otherOrigin),
        Row("api.example", "Origin: https://app.example https://evil.example", says: .otherOrigin),
        Row("api.example", "Origin: http://dev.example", says: .otherOrigin),
        Row("api.example", "Sec-Fetch-Site: cross-site", "Origin: https://x.app.example", says: .otherSite),
    ]

    static let hosts: [Row] = [
        Row("api.example", "Origin: https://api.example", says: .originIsHost),
        Row("api.example", "Origin: http://api.example", says: .originIsHost),
        Row("API.example", "Origin: https://api.example", says: .originIsHost),
        Row("api.example:443", "Origin: https://api.example", says: .originIsHost),
        Row("api.example:80", "Origin: http://api.example", says: .originIsHost),
        Row("api.example:80", "Origin: https://api.example", says: .otherOrigin),
        Row("api.example:443", "Origin: http://api.example", says: .otherOrigin),
        Row("api.example:8080", "Origin: http://api.example:8080", says: .originIsHost),
        Row("api.example:8080", "Origin: http://api.example", says: .otherOrigin),
        Row("api.example", "Origin: http://api.example:8080", says: .otherOrigin),
        Row("[::1]:8080", "Origin: http://[::1]:8080", says: .originIsHost),
        Row("[::1]:8080", "Origin: http://[::2]:8080", says: .otherOrigin),
        Row("127.0.0.1:8080", "Origin: http://127.0.0.1:8080", says: .originIsHost),
        Row("127.0.0.1:8080", "Origin: http://localhost:8080", says: .otherOrigin),
        Row("api.example", "Origin: https://evil.example", says: .otherOrigin),
        Row("api.example", "Origin: https://www.api.example", says: .otherOrigin),
        Row("www.api.example", "Origin: https://api.example", says: .otherOrigin),
        Row("api.example", "Origin: https://api.example.evil.example", says: .otherOrigin),
        Row("api.example", "Origin: https://api.example@evil.example", says: .otherOrigin),
        Row("api.example", "Origin: https://evil.example@api.example", says: .otherOrigin),
        Row("api.example", "Origin: https://api.example/", says: .otherOrigin),
        Row("api.example", "Origin: https://api.example:", says: .otherOrigin),
        Row("api.example", "Origin: null", says: .otherOrigin), Row("null", "Origin: null", says: .otherOrigin),
        Row("api.example", "Origin:", says: .otherOrigin), Row("api.example", "Origin: https://", says: .otherOrigin),
        Row("api.example", "Origin: api.example", says: .otherOrigin),
        Row("api.example", "Origin: HTTPS://api.example", says: .otherOrigin),
        Row("api.example", "Origin: ftp://api.example", says: .otherOrigin),
        Row("api.example", "Origin: chrome-extension://api.example", says: .otherOrigin),
        Row("api.example", "Origin: https:/api.example", says: .otherOrigin),
        Row("api.example", "Origin: *", says: .otherOrigin),
    ]

    static let several: [Row] = [
        Row("api.example", "Origin: https://api.example", "Origin: https://api.example", says: .ambiguous),
        Row("api.example", "Origin: https://app.example", "Origin: https://evil.example", says: .ambiguous),
        Row("api.example", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: same-origin", says: .ambiguous),
        Row("api.example", "Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site", says: .ambiguous),
        Row(
            "api.example", "Sec-Fetch-Site: same-origin", "Origin: https://app.example", "ORIGIN: null",
            says: .ambiguous),
    ]

    @Test(arguments: sites + listed + hosts + several) func eachRequestIsReadAsTheTableSays(_ row: Row) throws {
        let (finding, passes) = try finding(row)
        #expect(finding == row.finding && passes == row.finding.passes)
    }

    @Test(arguments: [
        (Finding.noBrowser, true), (.listedOrigin, true), (.sameOrigin, true), (.originIsHost, true),
        (.otherSite, false),
        (.otherOrigin, false), (.ambiguous, false),
    ]) func onlyCallsOfTheOwnOrAListedOriginPass(_ finding: Finding, _ passes: Bool) {
        #expect(finding.passes == passes)
    }

    @Test func theHostOfAnAbsoluteTargetIsTheOneThatIsAsked() throws {
        let row = Row("api.example", "Origin: https://api.example", says: .originIsHost)
        #expect(try finding(row, target: "http://api.example/x") == (.originIsHost, true))
    }

    @Test func withoutListedOriginsOnlyTheOwnPasses() throws {
        let check = CrossSiteCheck(origins: [])
        try withRequest("POST / HTTP/1.1\r\nHost: a\r\nOrigin: https://app.example\r\n\r\n") { request in
            #expect(check.finding(in: request) == .otherOrigin)
        }
    }

    @Test(arguments: [
        ("GET", false), ("HEAD", false), ("OPTIONS", false), ("TRACE", false), ("POST", true), ("PUT", true),
        ("DELETE", true), ("PATCH", true), ("get", true), ("PROPFIND", true), ("LINK", true),
    ]) func itIsAskedOfEveryMethodThatMayChangeSomething(_ method: String, _ isAsked: Bool) {
        let method = Array(method.utf8).withUnsafeBytes { HTTPWire.Method($0) }
        #expect(CrossSiteCheck.isAsked(of: method) == isAsked)
    }
}
