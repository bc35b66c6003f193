import SecurityRules
import Testing

@testable import Authorization

@Suite struct QueryTextTests {
    private func text(_ query: String) -> String { text(Array(query.utf8)) }

    private func text(_ query: [UInt8]) -> String {
        query.withUnsafeBytes { QueryText.value(of: $0).text }
    }

    @Test(arguments: [
        ("", "{}"), ("&&", "{}"), ("a=1", "{'a': '1'}"), ("a", "{'a': ''}"), ("a=", "{'a': ''}"), ("=1", "{'': '1'}"),
        ("b=2&a=1", "{'a': '1', 'b': '2'}"), ("a=b=c", "{'a': 'b=c'}"), ("a=1+2", "{'a': '1 2'}"),
        ("a=1%2B2", "{'a': '1+2'}"), ("a%3D=1", "{'a=': '1'}"), ("%61=%62", "{'a': 'b'}"),
        ("a=%e2%82%AC", "{'a': '€'}"),
        ("A=1&a=2", "{'A': '1', 'a': '2'}"), ("a;b=1", "{'a;b': '1'}"), ("a[]=1", "{'a[]': '1'}"),
        ("a=%00", "{'a': '\\u0000'}"), ("a=?&b=/", "{'a': '?', 'b': '/'}"),
        ("%C3%A9=1&e%CC%81=2", "{'e\u{301}': '2', '\u{e9}': '1'}"),
        // Services interpret these values in two ways.
        ("a=1&a=2", "{'a': <unreadable>}"), ("a=1&a=1", "{'a': <unreadable>}"), ("a=1&%61=1", "{'a': <unreadable>}"),
        ("a=1&b=2&a", "{'a': <unreadable>, 'b': '2'}"), ("a=1&a=2&a=3", "{'a': <unreadable>}"),
        ("a=%", "{'a': <unreadable>}"), ("a=%4", "{'a': <unreadable>}"), ("a=%zz&b=1", "{'a': <unreadable>, 'b': '1'}"),
        ("a=%FF", "{'a': <unreadable>}"), ("a=%C0%AE", "{'a': <unreadable>}"), ("a=%ED%A0%80", "{'a': <unreadable>}"),
        // A malformed name makes the whole query unreadable.
        ("%FF=1", "<unreadable>"), ("a=1&%zz=1", "<unreadable>"), ("a%=1", "<unreadable>"),
        ("%C0%AE=1&b=2", "<unreadable>"),
    ])
    func `a query is read as a form`(_ query: String, _ value: String) {
        #expect(text(query) == value)
    }

    @Test func `bytes that are not text are unreadable`() {
        #expect(text(Array("a=".utf8) + [0xFF]) == "{'a': <unreadable>}")
    }

    @Test func `more parameters than the limit are unreadable`() {
        let most = (0..<QueryText.maximumParameters).map { "p\($0)=1" }.joined(separator: "&")
        #expect(text(most).hasPrefix("{'p0': '1'"))
        #expect(text(most + "&x") == "<unreadable>")
        #expect(text(most + "&p0") == "<unreadable>")
    }
}
