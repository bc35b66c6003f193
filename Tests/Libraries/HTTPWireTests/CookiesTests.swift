import HTTPWire
import Testing

@testable import SystemFixtures

@Suite struct CookiesTests {
    private let name = Array("__session".utf8)

    private func whole(_ bytes: [UInt8]) -> ByteRange { ByteRange(start: 0, length: UInt32(bytes.count)) }

    /// The value without our cookie, and what became of it.
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

    struct Removed: Sendable {
        var value: String
        var left: String

        init(_ value: String, _ left: String) { (self.value, self.left) = (value, left) }
    }

    @Test(
        "H-12: our cookie goes, the others keep their bytes",
        arguments: [
            Removed("__session=t; a=1", "a=1"),
            Removed("a=1; __session=t", "a=1"),
            Removed("a=1; __session=t; b=2", "a=1; b=2"),
            Removed("a=1;__session=t;b=2", "a=1;b=2"),
            Removed("a=1;  __session = t ;\tb=2 ; c = \"x y\"", "a=1;\tb=2 ; c = \"x y\""),
            Removed("__session=t; __session=u; a=1; __session=v", "a=1"),
            Removed("a=1; __session=t; __session=u; b=2; c=3", "a=1; b=2; c=3"),
            Removed("a=1; b=2; __session=t; c=3; d=4", "a=1; b=2; c=3; d=4"),
            Removed("a=1; __session=t;", "a=1"),
            Removed("a=1;; __session=t;; b=2;", "a=1; b=2;"),
            Removed("; __session=t; a=1", "a=1"),
            Removed("a=b=c; __session=t; =x; y", "a=b=c; =x; y"),
            Removed("__session; a=1", "a=1"),
            Removed("a=\"q\"; __session=\"t\"; b", "a=\"q\"; b"),
        ])
    func ourCookieGoes(removed: Removed) {
        let result = removing(removed.value)
        #expect(result.text == removed.left)
        #expect(result.outcome == .removed)
    }

    @Test(arguments: [
        "a=1", "a=1; b=2", "__Session=t", "__session2=t", "x__session=t", "a=__session; b=__session=t",
        " a = 1 ;; b ; ", ";;", "",
    ])
    func withoutOurCookieNothingChanges(value: String) {
        let result = removing(value)
        #expect(result.text == value)
        #expect(result.outcome == .untouched)
    }

    @Test(arguments: [
        "__session=t", "__session=", "__session", " __session=t ", "__session=t;", "; __session=t; __session=u;;",
    ])
    func whereOnlyOurCookieIsNothingIsLeft(value: String) {
        let result = removing(value)
        #expect(result.text == "")
        #expect(result.outcome == .nothingLeft)
    }

    struct Found: Sendable {
        var value: String
        var first: String?
        var count: Int

        init(_ value: String, _ first: String?, _ count: Int) {
            (self.value, self.first, self.count) = (value, first, count)
        }
    }

    @Test(arguments: [
        Found("", nil, 0), Found("a=1", nil, 0), Found("__session=t", "t", 1),
        Found("a=1; __session=t.u.v; b=2", "t.u.v", 1),
        Found("__session=t=u", "t=u", 1), Found("__session=", "", 1), Found("__session", "", 1),
        Found("__session = t ", "t", 1),
        Found("__session=\"t\"", "t", 1), Found("__session=\"", "\"", 1), Found("__session=\"\"", "", 1),
        Found("__session=t; __session=u", "t", 2), Found("__SESSION=t", nil, 0),
        Found("a=1;__session=t;__session=t", "t", 2),
        Found("=__session; a=__session=t", nil, 0),
    ])
    func aCookieIsFoundByItsName(found: Found) {
        let bytes = Array(found.value.utf8)
        let result = bytes.withUnsafeBytes { Cookies.find(name, in: whole(bytes), of: $0) }
        #expect(result.first.map { text($0, bytes) } == found.first)
        #expect(result.count == found.count)
    }

    @Test func rangesAreOfTheHead() throws {
        let request = try ParsedRequest(get("Cookie: a=1; __session=t"))
        let field = try #require(request.fields.first(.cookie))
        let found = request.bytes.withUnsafeBytes { Cookies.find(name, in: field.value, of: $0) }
        #expect(found.first.map(request.text) == "t")
    }

    @Test func removalLeavesNoneOfOursOnRandomValues() {
        var random = SeededRandom(seed: 12)
        let pieces = ["__session", "=", ";", " ", "a", "\"", "\t", "; __session=t", "; a=1"]
        for _ in 0..<20_000 {
            let value = (0..<Int.random(in: 0...10, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            .joined()
            let left = removing(value).text
            #expect(removing(left).outcome == .untouched, "\(value)")
            #expect(cookies(left) == cookies(value).filter { $0.name != "__session" }, "\(value)")
        }
    }

    private struct Plain: Equatable {
        var name: String
        var value: String
    }

    private func cookies(_ value: String) -> [Plain] {
        let bytes = Array(value.utf8)
        return bytes.withUnsafeBytes { head in
            CookiePairs(whole(bytes), in: head).map { Plain(name: text($0.name, bytes), value: text($0.value, bytes)) }
        }
    }
}
