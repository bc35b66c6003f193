import Testing

@testable import Accounts

/// The targets of flows, and the families of texts with which an open redirect is tried.
@Suite struct ReturnTargetTests {
    private let targets = ReturnTargets(
        publicOrigin: "https://app.example", others: ["https://spa.example", "http://localhost:5173"])

    @Test(arguments: [
        ("/", "https://app.example/"), ("/home", "https://app.example/home"),
        ("/a/../b/./c?x=1&y=//e#/route", "https://app.example/b/c?x=1&y=//e#/route"),
        ("/a/%2E%2e/b", "https://app.example/b"), ("/../..", "https://app.example/"),
        ("/ä?ü#ö", "https://app.example/%C3%A4?%C3%BC#%C3%B6"), ("/a\"<b>", "https://app.example/a%22%3Cb%3E"),
        ("https://app.example", "https://app.example/"), ("https://app.example?x", "https://app.example/?x"),
        ("https://spa.example/x#y", "https://spa.example/x#y"), ("http://localhost:5173/", "http://localhost:5173/"),
        ("/a//b", "https://app.example/a//b"), ("/@evil.example", "https://app.example/@evil.example"),
        ("/x/%5c", "https://app.example/x/%5c"), ("/gatehouse", "https://app.example/gatehouse"),
    ])
    func `a permitted target is absolute and normalized`(text: String, location: String) {
        #expect(targets.resolve(text)?.location == location)
    }

    @Test(arguments: [
        "/.gatehouse/sign-in/google.com", "/.gatehouse", "/%2egatehouse/x", "/x/../.gatehouse/auth", "/.GATEHOUSE/",
        "/.gatehous%65/x", "https://app.example/.gatehouse/x",
    ])
    func `the gateway's own paths are no targets`(text: String) { #expect(targets.resolve(text) == nil) }

    @Test(
        arguments: [
            ("/.gatehouse/", "https://app.example/.gatehouse/"), ("/.gatehouse", nil), ("/.GATEHOUSE/", nil),
            ("/x/../.gatehouse/?a=1#b", "https://app.example/.gatehouse/?a=1#b"), ("/.gatehouse//", nil),
            ("/%2egatehouse/", nil), ("/.gatehouse/auth", nil), ("//.gatehouse/", nil),
            ("/.gatehouse/%2e%2e/x", "https://app.example/x"),
            ("https://evil.example/.gatehouse/", nil),
        ] as [(String, String?)])
    func `the sign-in page is a target if it is served`(text: String, location: String?) {
        let targets = ReturnTargets(publicOrigin: "https://app.example", others: [], includesPage: true)
        #expect(targets.resolve(text)?.location == location)
    }

    @Test func `O-13: a text of any size or form is judged at once`() {
        for text in ["", String(repeating: "/a", count: 600_000), "/" + String(repeating: "../", count: 682)] {
            _ = targets.resolve(text)
        }
        #expect(targets.resolve(String(repeating: "/a", count: 1_025)) == nil)
        #expect(targets.resolve("/\u{FFFD}") != nil, "invalid UTF-8 arrives as an error before")
    }

    /// The beginnings and hosts of texts that browsers, servers or patterns have read differently.
    static let beginnings = [
        "//", "///", "////", "/\\", "\\\\", "\\/", "/\t/", "/\n/", "/\r/", "/\u{0}/", "/ /", " //", "\t//", "\u{1}//",
        "/./", "/.//", "/..//", "/%2e//", "/%2e%2e//", "/.%2e//", "/%09/", "/%0a/", "/%0d/", "/%5c", "/%5c%5c", "/%2f",
        "/%2f%2f", "%2f%2f", "http:", "https:", "http:/", "https:/", "http://", "https://", "HTTPS://", "hTtP://",
        "https:\\\\", "https:/\\", "http:///", "https:////", "//https:", "ftp://", "javascript:", "JavaScript://",
        "data:text/html,", "vbscript:", "file://", "blob:https://", "intent://", "x:", ":", "://", "?//", "#//", "@",
        "https://app.example@", "https://app.example:443@", "https://app.example.", "https://app.example-",
        "https://app.example:8443/", "https://app.example%40", "https://app.example%2f@", "https://app.example\\",
        "https://app.example\\@", "https://app.example;", "https://app.example,", "https://app.example&",
        "http://app.example/", "https://APP.example/", "https://app.example%23@", "https://app.example%00",
        "https://user:password@app.example/", "//app.example/", "//app.example@", "https://spa.example.", "〱", "〵",
        "/〱", "ゝ", "/ゝ", "ー", "/ー", "。", "//。", "\u{FEFF}//", "\u{200B}//", "\u{202E}//", "\u{A0}//", "\u{3000}//",
    ]
    static let hosts = [
        "evil.example", "evil.example/", "evil.example:80", "evil.example%2f..", "evil%2eexample", "evil。example",
        "@evil.example", "evil.example@app.example", "127.1", "0x7f000001", "2130706433", "[::1]", "%00evil.example",
        "evil.example?app.example", "evil.example#app.example", "evil.example\\app.example", "evil.example/%2e%2e",
    ]

    /// The origins that a location may have, with the slash that ends them.
    private static let permitted = ["https://app.example/", "https://spa.example/", "http://localhost:5173/"]

    @Test func `O-12: no text of the families of open redirects leads to another origin`() {
        var count = 0
        for beginning in Self.beginnings {
            for host in Self.hosts {
                for end in ["", "/path"] {
                    count += 1
                    guard let location = targets.resolve(beginning + host + end)?.location else { continue }
                    #expect(
                        Self.permitted.contains { location.hasPrefix($0) }, "\(beginning)\(host)\(end): \(location)")
                    #expect(location.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
                    let path = location.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }
                    #expect(!path.hasPrefix("//"), "a path that begins like an authority")
                }
            }
        }
        #expect(count >= 2_500)
    }

    @Test func `O-12: a target with an error stays at its origin`() {
        let target = targets.resolve("/x?a=1#f")?.adding([("error", "a b&c=d\r\nX: y"), ("result", "#")])
        #expect(target?.location == "https://app.example/x?a=1&error=a%20b%26c%3Dd%0D%0AX%3A%20y&result=%23#f")
    }
}
