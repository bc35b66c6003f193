import Testing

@testable import Diagnostics

@Suite struct RuleCoveragePageTests {
    private func page(_ rules: String, tests: String = RuleTesting.test(expect: "allow")) throws -> String {
        RuleCoveragePage(try RuleTesting.run(rules, tests: tests)).html
    }

    @Test func `expressions are in elements with their counts`() throws {
        let page = try page("allow read: if auth.uid == 'ann' || auth.uid == 'bob';")
        #expect(
            page.contains(
                """
                allow read: if <span class="part" title="never false; true 1, false 0, error 0">\
                <span class="part" title="never false; true 1, false 0, error 0">auth.uid == &#39;ann&#39;</span> || \
                <span class="none" title="never evaluated; true 0, false 0, error 0">auth.uid == &#39;bob&#39;</span></span>;
                """))
        #expect(page.contains("<tr class=\"none\"><td>3</td>"))
    }

    @Test func `an expression of several lines is marked on each`() throws {
        let page = try page("allow read: if auth.uid == 'ann'\n  || auth.token.level\n     == 3;")
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("<tr") }
        // The first match is in the overview.
        #expect(lines.count == 7)
        for line in lines { #expect(line.matches(of: /<span/).count == line.matches(of: /<\/span>/).count, "\(line)") }
        #expect(lines[4].contains("<span class=\"part\"") && lines[4].contains("<span class=\"none\""))
    }

    @Test func `rules and tests add no markup`() throws {
        let hostile = "</code></style><script>alert(1)</script><img src=x onerror=\"alert('2')\">&amp;"
        let rules = """
            // \(hostile)
            allow read: if auth.token.x == "\(hostile.replacing("\"", with: "'"))" || auth.uid == 'x';
            """
        let yamlName = "'" + hostile.replacing("'", with: "''") + "'"
        let tests = RuleTesting.test(expect: "allow").replacing("a test", with: yamlName)
        let page = try page(rules, tests: tests)
        let allowed = Set([
            "!doctype html", "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "strong",
            "span", "ul",
            "li", "code", "table", "tr", "td", "a", "meter", "section", "small", "div",
        ])
        for match in page.matches(of: /<\/?([!a-zA-Z][a-z0-9 ]*?)[\s>]/) {
            let name = String(match.1).split(separator: " ")[0]
            #expect(allowed.contains { $0.hasPrefix(name) }, "\(match.0)")
        }
        #expect(!page.contains("<script") && !page.contains("<img") && !page.contains("onerror=\"alert"))
        #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(page.matches(of: /<\/style>/).count == 1)
    }

    @Test func `bidirectional control characters are replaced`() {
        #expect(
            RuleCoveragePage.escaped("a\u{202E}b\u{0}c\u{7F}<'\">&")
                == "a\u{FFFD}b\u{FFFD}c\u{FFFD}&lt;&#39;&quot;&gt;&amp;")
        #expect(RuleCoveragePage.escaped("ä\u{301}\n") == "ä\u{301}\n")
    }

    @Test func `the page loads no resources`() throws {
        let page = try page("allow read;")
        #expect(page.contains("default-src 'none'; style-src 'unsafe-inline'"))
        #expect(!page.contains("http://") && !page.contains("https://") && !page.contains("src="))
        #expect(page.contains("prefers-color-scheme: dark"))
    }

    @Test func `failed tests are named with the actual outcome`() throws {
        let page = try page("allow write;")
        #expect(page.contains("<code>notes.test.yaml:7:5</code> a test: expected allow, came deny: no allow matches"))
        #expect(page.contains("1 failed"))
    }
}
