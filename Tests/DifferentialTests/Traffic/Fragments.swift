@testable import SystemFixtures

/// Texts to choose from: the usual ones, and odd ones that some parser somewhere reads in another way.
struct Fragments: Sendable {
    private let usual: [[UInt8]]
    private let odd: [[UInt8]]

    init(_ usual: [String], odd: [String]) {
        self.usual = usual.map { Array($0.utf8) }
        self.odd = odd.map { Array($0.utf8) }
    }

    /// Returns an odd text once in `rarity` times, otherwise a usual one.
    func pick(_ random: inout SeededRandom, rarity: Int) -> [UInt8] {
        random.once(in: rarity) ? odd[random.below(odd.count)] : usual[random.below(usual.count)]
    }
}

extension Fragments {
    static let start = Fragments([""], odd: ["\r\n", "\r\n\r\n", "\n", "\r", " ", "\u{0}"])

    static let method = Fragments(
        ["GET", "GET", "POST", "PUT", "HEAD", "DELETE", "OPTIONS", "PATCH", "TRACE"],
        odd: [
            "CONNECT", "PROPFIND", "M-SEARCH", "SOURCE", "PRI", "DESCRIBE", "FOO", "get", "GETT", "GE", "G=T", "",
            "G@T", "MKCALENDAR", "QUERY", "TOO-LONG-A-METHOD-FOR-ANYBODY-TO-SEND",
        ])

    static let target = Fragments(
        ["/", "/a/b?c=d", "/%20/~user", "/a;b=c/d", "/?", "//a", "/a?b=/../c"],
        odd: [
            "*", "http://a.example/x?y", "https://A.example:443?q", "HTTP://a.example", "a.example:80", "[::1]:80",
            "http://a.example:81/", "http://u@a.example/", "http:///x", "http://[::1]/", "ftp://a.example/", "a",
            "/\u{e9}", "/a#b", "/a b", "/\\", "/^|{}\"<>`", "/\u{1}", "/\u{7f}", "", "?a", "*a", "/a?b#c", "http:/a",
            "/a\tb", "http://a.example#x", "http://a.example?x?y", "http://a.example/\u{e9}",
        ])

    static let version = Fragments(
        [" HTTP/1.1\r\n"],
        odd: [
            " HTTP/1.0\r\n", " HTTP/1.0\r\n", " HTTP/1.0\r\n", "\r\n", " HTTP/2.0\r\n", " HTTP/0.9\r\n",
            " HTTP/1.2\r\n", " HTTP/1.1 \r\n", "  HTTP/1.1\r\n", " http/1.1\r\n", " HTTP/1.10\r\n", " HTTP/1.1\n",
            "\tHTTP/1.1\r\n", " HTTP/1.1\r\r\n", " RTSP/1.0\r\n", " ICE/1.0\r\n", " HTTP/11\r\n",
        ])

    static let host = Fragments(
        ["Host: a.example\r\n", "host:a.example\r\n", "HOST: \ta.example:80 \r\n"],
        odd: [
            "", "Host:\r\n", "Host: a.example\r\nHost: a.example\r\n", "Host: a b\r\n", "Host : a\r\n",
            "Host: [::1]\r\n", "Host: u@a\r\n", "Host: a/b\r\n", "Host: a,b\r\n", " Host: a\r\n", "Host: a:x\r\n",
            "Host: a..b\r\n", "Host: \u{e9}\r\n", "Host\u{0}: a\r\n", "Host: a%2e\r\n", "Host: a\r\n\r\n",
        ])

    static let field = Fragments(
        [
            "Accept: */*\r\n", "X-A: b\r\n", "X-Empty:\r\n", "x-b:c d\te\r\n", "Cookie: a=b; c=\"d\"\r\n",
            "User-Agent: x/1 (y)\r\n", "X-High: \u{e9}\r\n", "!#$%&'*+-.^_`|~: token\r\n",
        ],
        odd: [
            "X-Fold: a\r\n b\r\n", "X-Fold:\r\n\tb\r\n", "X-Bare: a\nb: c\r\n", "X-CR: a\rb\r\n", "X-Nul: a\u{0}b\r\n",
            "X-Del: \u{7f}\r\n", "X-Trail: a \t \r\n", "X Space: a\r\n", "X-Before : a\r\n", ": a\r\n", "no colon\r\n",
            "X-High\u{e9}: a\r\n", "X(: a\r\n", "X-CRCR: a\r\r\n", "X-FF: \u{c}\r\n", "Expect: 100-continue\r\n",
            "Expect: x\r\n", "Upgrade: x\r\n", "Upgrade: h2c\r\nConnection: upgrade\r\n", "Trailer: X-T\r\n",
            "X-Only-White: \t \r\n", "@: a\r\n", "X\t: a\r\n", "Content-Length\u{0}: 5\r\n", "X-LF: a\n\r\n",
            "Content_Length: 5\r\n", "Connection:\r\n", "Proxy-Connection: close\r\n", "\r\n", "\u{ff}\u{fe}\r\n",
        ])

    static let connection = Fragments(
        ["", "", "", "", "", "", "Connection: keep-alive\r\n", "Connection: close\r\n"],
        odd: [
            "Connection: Close\r\n", "Connection: close, keep-alive\r\n", "Connection: keep-alive, close\r\n",
            "Connection: x, close\r\n", "Connection: close,x\r\n", "Connection: closed\r\n",
            "Connection: \"close\"\r\n", "Connection: close\t\r\n", "Connection: close \r\n",
            "Connection: close;q=1\r\n", "Connection: ,close\r\n", "Connection: x\r\nConnection: close\r\n",
            "Connection: upgrade\r\nUpgrade: x\r\n", "Upgrade: x\r\nConnection: keep-alive, Upgrade\r\n",
            "Connection: host\r\n", "Connection: x y\r\n", "Connection: keep-alive, x\r\n",
            "Connection: x ,\tclose\r\n", "Connection: close\r\nConnection: x\r\n", "Connection: te, close\r\n",
            "Connection: x close\r\n", "Connection: upgrade, close\r\nUpgrade: x\r\n", "Connection: keep-alive\t\r\n",
            "Connection: close keep-alive\r\n", "Connection: clos\u{e9}\r\n",
        ])
}
