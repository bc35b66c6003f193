import Foundation
import JOSE
import Testing

@testable import gatehouse

/// The text of the demo's page: its content security policy and its elements.
@Suite struct DemoPageFormTests {
    private let html: String
    private let policy: [String]

    init() throws {
        html = DemoPage.markup(settings: DemoPage.settings(mintURL: "http://127.0.0.1:9902/mint"))
        policy = try DemoPage.policy(providerURL: "http://127.0.0.1:9902").components(separatedBy: "; ")
    }

    /// Returns the contents of each element with this tag, up to the first closing tag, as in a browser.
    private func contents(of tag: String) -> [String] {
        html.components(separatedBy: "<\(tag)>").dropFirst().map { $0.components(separatedBy: "</\(tag)")[0] }
    }

    private func hash(_ text: String) throws -> String {
        let digest = try #require(SHA256Hasher()?.hash(Array(text.utf8)))
        return "'sha256-\(Data(digest.bytes).base64EncodedString())'"
    }

    @Test func `the policy allows only the style, the script and the provider`() throws {
        let (style, script) = (contents(of: "style"), contents(of: "script"))
        #expect(style.count == 1 && script.count == 1)
        #expect(
            policy == [
                "default-src 'none'", "style-src \(try hash(style[0]))", "script-src \(try hash(script[0]))",
                "connect-src 'self' http://127.0.0.1:9902", "frame-ancestors 'none'", "base-uri 'none'",
                "form-action 'none'",
            ])
    }

    @Test func `the page loads no resources of other origins`() {
        #expect(html.matches(of: /[a-z]+:\/\//).count == 1)
        #expect(html.contains("\"mint\":\"http://127.0.0.1:9902/mint\""))
        for part in ["src=", "href=", "url(", "@import", "import(", "<link", "<iframe", "srcset", "\"//"] {
            #expect(!html.contains(part), "\(part)")
        }
    }

    @Test func `L-05: the script writes text and no markup`() {
        for part in ["innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "DOMParser"] {
            #expect(!html.contains(part), "\(part)")
        }
        #expect(!html.contains(/<[a-z][^>]* (on[a-z]+|style)=/))
    }

    @Test func `L-05: no value of a setting ends its element`() throws {
        let settings = DemoPage.settings(mintURL: "</script><!--<script>&amp;")
        #expect(!settings.contains(/[<>&]/))
        let read = try JSONSerialization.jsonObject(with: Data(settings.utf8)) as? [String: Any]
        #expect(read?["mint"] as? String == "</script><!--<script>&amp;")
    }

    @Test func `the page links to the sign-in page only if the gateway serves it`() {
        let linking = DemoPage.markup(settings: "{}", linksSignIn: true)
        #expect(linking.contains(#"<a href="/.gatehouse/">"#) && !html.contains("<a ") && !html.contains("{{"))
    }

    @Test func `each control has a label`() {
        let controls = html.matches(of: /<(select|input|textarea)/).count
        #expect(controls == 7)
        #expect(html.matches(of: /<label>[^<]+<(select|input|textarea)/).count == controls)
        #expect(html.matches(of: /<section id="[a-z-]+" aria-labelledby="[a-z-]+-title">/).count == 14)
        #expect(html.matches(of: /<p class="outcome" role="status"><\/p>/).count == 14)
    }

    @Test func `each tab names its panel, and the first one is for Firebase`() {
        let tabs = html.matches(of: /role="tab" id="([a-z-]+)" aria-controls="([a-z]+)" aria-selected="(true|false)"/)
        let panels = html.matches(of: /role="tabpanel" id="([a-z]+)" aria-labelledby="([a-z-]+)"/)
        #expect(tabs.map(\.2) == ["firebase", "accounts"] && tabs.map(\.3) == ["true", "false"])
        #expect(panels.map(\.1) == tabs.map(\.2) && panels.map(\.2) == tabs.map(\.1))
    }
}
