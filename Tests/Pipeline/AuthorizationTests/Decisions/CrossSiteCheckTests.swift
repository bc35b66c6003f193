import Authorization
import HTTPWire
import Testing

@testable import CoreFixtures

@Suite struct CrossSiteCheckTests {
    typealias Finding = CrossSiteCheck.Finding

    /// The fields of a request to a host, and the expected finding. The listed origins are `https://app.example` and
    /// `http://dev.example:5173`.
    struct Row: CustomTestStringConvertible, Sendable {
        let host: String
        let fields: [String]
        let finding: Finding

        init(_ host: String = "api.example", _ fields: String..., finding: Finding) {
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

    private static func rows(_ field: String, _ values: [String], finding: Finding) -> [Row] {
        values.map { Row("api.example", "\(field): \($0)", finding: finding) }
    }

    private static let otherSites = [
        "same-site", "cross-site", "", "Same-Origin", "same-origin, cross-site", "same-originx", "same-origin;a=1",
    ]

    static let sites: [Row] =
        rows("Sec-Fetch-Site", ["same-origin", "none"], finding: .sameOrigin)
        + rows("Sec-Fetch-Site", otherSites, finding: .otherSite) + [
            Row(finding: .noBrowser), Row("api.example", "sec-fetch-site:none", finding: .sameOrigin),
            Row("api.example", "Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty", finding: .noBrowser),
            Row("api.example", "Sec_Fetch_Site: cross-site", finding: .noBrowser),
            Row("api.example", "Referer: https://evil.example/", finding: .noBrowser),
            // `Sec-Fetch-Site` decides, and `Origin` does not. This is the case behind a proxy that sets `Host`.
            Row("10.0.0.1:8080", "Sec-Fetch-Site: same-origin", "Origin: https://api.example", finding: .sameOrigin),
            Row("api.example", "Sec-Fetch-Site: same-origin", "Origin: null", finding: .sameOrigin),
            Row("api.example", "Sec-Fetch-Site: cross-site", "Origin: https://api.example", finding: .otherSite),
            Row("api.example", "Sec-Fetch-Site: same-site", "Origin: https://api.example", finding: .otherSite),
        ]

    static let listed: [Row] =
        rows("Origin", ["https://app.example", "http://dev.example:5173"], finding: .listedOrigin) + [
            Row("api.example", "Sec-Fetch-Site: cross-site", "Origin: https://app.example", finding: .listedOrigin),
            Row("api.example", "Sec-Fetch-Site: same-site", "Origin: https://app.example", finding: .listedOrigin),
            Row("api.example", "Sec-Fetch-Site: cross-site", "Origin: https://x.app.example", finding: .otherSite),
        ]

    private static let otherOrigins = [
        // Origins that resemble a listed one.
        "http://app.example", "https://app.example:443", "https://app.example:8443", "https://app.example/",
        "https://APP.example", "https://app.example.", "https://x.app.example", "https://app.example.evil.example",
        "https://app.example https://evil.example", "http://dev.example",
        // Origins that resemble the host.
        "http://api.example:8080", "https://evil.example", "https://www.api.example",
        "https://api.example.evil.example", "https://api.example@evil.example", "https://evil.example@api.example",
        "https://api.example/", "https://api.example:", "null", "", "https://", "api.example", "HTTPS://api.example",
        "ftp://api.example", "chrome-extension://api.example", "https:/api.example", "*",
    ]

    static let hosts: [Row] =
        rows("Origin", ["https://api.example", "http://api.example"], finding: .originIsHost)
        + rows("Origin", otherOrigins, finding: .otherOrigin) + [
            Row("API.example", "Origin: https://api.example", finding: .originIsHost),
            Row("api.example:443", "Origin: https://api.example", finding: .originIsHost),
            Row("api.example:80", "Origin: http://api.example", finding: .originIsHost),
            Row("api.example:80", "Origin: https://api.example", finding: .otherOrigin),
            Row("api.example:443", "Origin: http://api.example", finding: .otherOrigin),
            Row("api.example:8080", "Origin: http://api.example:8080", finding: .originIsHost),
            Row("api.example:8080", "Origin: http://api.example", finding: .otherOrigin),
            Row("[::1]:8080", "Origin: http://[::1]:8080", finding: .originIsHost),
            Row("[::1]:8080", "Origin: http://[::2]:8080", finding: .otherOrigin),
            Row("127.0.0.1:8080", "Origin: http://127.0.0.1:8080", finding: .originIsHost),
            Row("127.0.0.1:8080", "Origin: http://localhost:8080", finding: .otherOrigin),
            Row("www.api.example", "Origin: https://api.example", finding: .otherOrigin),
            Row("null", "Origin: null", finding: .otherOrigin),
        ]

    static let several: [Row] = [
        Row("api.example", "Origin: https://api.example", "Origin: https://api.example", finding: .ambiguous),
        Row("api.example", "Origin: https://app.example", "Origin: https://evil.example", finding: .ambiguous),
        Row("api.example", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: same-origin", finding: .ambiguous),
        Row("api.example", "Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site", finding: .ambiguous),
        Row(
            "api.example", "Sec-Fetch-Site: same-origin", "Origin: https://app.example", "ORIGIN: null",
            finding: .ambiguous),
    ]

    @Test(arguments: sites + listed + hosts + several) func `each request has the finding of its row`(_ row: Row) throws
    {
        let (finding, passes) = try finding(row)
        #expect(finding == row.finding && passes == row.finding.passes)
    }

    @Test(arguments: [
        (Finding.noBrowser, true), (.listedOrigin, true), (.sameOrigin, true), (.originIsHost, true),
        (.otherSite, false),
        (.otherOrigin, false), (.ambiguous, false),
    ]) func `only calls of the gateway's own origin or a listed one pass`(_ finding: Finding, _ passes: Bool) {
        #expect(finding.passes == passes)
    }

    @Test func `the origin is compared with the host of an absolute target`() throws {
        let row = Row("api.example", "Origin: https://api.example", finding: .originIsHost)
        #expect(try finding(row, target: "http://api.example/x") == (.originIsHost, true))
    }

    @Test func `without listed origins only the own origin passes`() throws {
        let check = CrossSiteCheck(origins: [])
        try withRequest("POST / HTTP/1.1\r\nHost: a\r\nOrigin: https://app.example\r\n\r\n") { request in
            #expect(check.finding(in: request) == .otherOrigin)
        }
    }

    @Test(arguments: [
        ("GET", false), ("HEAD", false), ("OPTIONS", false), ("TRACE", false), ("POST", true), ("PUT", true),
        ("DELETE", true), ("PATCH", true), ("get", true), ("PROPFIND", true), ("LINK", true),
    ]) func `every method that may change state is checked`(_ method: String, _ isChecked: Bool) {
        let method = Array(method.utf8).withUnsafeBytes { HTTPWire.Method($0) }
        #expect(CrossSiteCheck.applies(to: method) == isChecked)
    }
}
