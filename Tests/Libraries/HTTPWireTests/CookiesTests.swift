import HTTPWire
import Testing

@testable import SystemFixtures

struct CookiesTests {
    private let name = Array("__session".utf8)

    private func whole(_ bytes: [UInt8]) -> ByteRange { ByteRange(start: 0, length: UInt32(bytes.count)) }

    /// Returns the value without the session cookie, and the outcome of its removal.
    private func removing(_ value: String) -> (text: String, outcome: Cookies.Removal) {
        let bytes = Array(value.utf8)
        var left: [UInt8] = []
        let outcome = bytes.withUnsafeBytes { head in
            Cookies.keep(whole(bytes), of: head) {
                Cookies.isNamed($0, name, in: head)
            } keep: {
                left += $0.bytes(in: head)
            }
        }
        return (String(decoding: left, as: UTF8.self), outcome)
    }

    @Test(arguments: [
        ("__session=t; a=1", "a=1"), ("a=1; __session=t", "a=1"), ("a=1; __session=t; b=2", "a=1; b=2"),
        ("a=1;__session=t;b=2", "a=1;b=2"), ("a=1;  __session = t ;\tb=2 ; c = \"x y\"", "a=1;\tb=2 ; c = \"x y\""),
        ("__session=t; __session=u; a=1; __session=v", "a=1"),
        ("a=1; __session=t; __session=u; b=2; c=3", "a=1; b=2; c=3"),
        ("a=1; b=2; __session=t; c=3; d=4", "a=1; b=2; c=3; d=4"), ("a=1; __session=t;", "a=1"),
        ("a=1;; __session=t;; b=2;", "a=1; b=2;"), ("; __session=t; a=1", "a=1"),
        ("a=b=c; __session=t; =x; y", "a=b=c; =x; y"), ("__session; a=1", "a=1"),
        ("a=\"q\"; __session=\"t\"; b", "a=\"q\"; b"),
    ])
    func `H-12: the session cookie is removed and other cookies keep their bytes`(value: String, left: String) {
        let result = removing(value)
        #expect(result.text == left)
        #expect(result.outcome == .removed)
    }

    @Test(arguments: [
        "a=1", "a=1; b=2", "__Session=t", "__session2=t", "x__session=t", "a=__session; b=__session=t",
        " a = 1 ;; b ; ", ";;", "",
    ])
    func `a value without the cookie is unchanged`(value: String) {
        let result = removing(value)
        #expect(result.text == value)
        #expect(result.outcome == .untouched)
    }

    @Test(arguments: [
        "__session=t", "__session=", "__session", " __session=t ", "__session=t;", "; __session=t; __session=u;;",
    ])
    func `a value with only the cookie becomes empty`(value: String) {
        let result = removing(value)
        #expect(result.text == "")
        #expect(result.outcome == .nothingLeft)
    }

    @Test(
        arguments: [
            ("", nil, 0), ("a=1", nil, 0), ("__session=t", "t", 1), ("a=1; __session=t.u.v; b=2", "t.u.v", 1),
            ("__session=t=u", "t=u", 1), ("__session=", "", 1), ("__session", "", 1), ("__session = t ", "t", 1),
            ("__session=\"t\"", "t", 1), ("__session=\"", "\"", 1), ("__session=\"\"", "", 1),
            ("__session=t; __session=u", "t", 2), ("__SESSION=t", nil, 0), ("a=1;__session=t;__session=t", "t", 2),
            ("=__session; a=__session=t", nil, 0),
        ] as [(String, String?, Int)])
    func `a cookie is found by its name`(value: String, first: String?, count: Int) {
        let bytes = Array(value.utf8)
        let result = bytes.withUnsafeBytes { Cookies.find(name, in: whole(bytes), of: $0) }
        #expect(result.first.map { text($0, bytes) } == first)
        #expect(result.count == count)
    }

    @Test func `the ranges of a cookie are those of the head`() throws {
        let request = try ParsedRequest(get("Cookie: a=1; __session=t"))
        let field = try #require(request.fields.first(.cookie))
        let found = request.bytes.withUnsafeBytes { Cookies.find(name, in: field.value, of: $0) }
        #expect(found.first.map(request.text) == "t")
    }

    @Test func `removal is complete for random values`() {
        var random = SeededRandom(seed: 12)
        let pieces = ["__session", "=", ";", " ", "a", "\"", "\t", "; __session=t", "; a=1"]
        for _ in 0..<Thoroughness.rounds(5_000, full: 20_000) {
            let value = (0..<Int.random(in: 0...10, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            .joined()
            let left = removing(value).text
            #expect(removing(left).outcome == .untouched, "\(value)")
            #expect(cookies(left) == cookies(value).filter { $0[0] != "__session" }, "\(value)")
        }
    }

    private func cookies(_ value: String) -> [[String]] {
        let bytes = Array(value.utf8)
        return bytes.withUnsafeBytes { head in
            CookiePairs(whole(bytes), in: head).map { [text($0.name, bytes), text($0.value, bytes)] }
        }
    }
}
