import GatewayCore
import Testing
import TextCoding

@testable import Accounts

/// The document of the sign-in page, and its files.
@Suite struct SignInPageTests {
    /// A text that is dangerous in HTML text, in attributes, in scripts and in styles.
    private static let attack = #"</script><img src=x onerror="alert(1)">'"&lt;--><!--{provider}"#

    private let page: SignInPage

    init() throws { page = try Self.page() }

    private static func page(
        title: String? = nil, providers: [String] = ["google.com", "oidc.corp"], logo: [UInt8]? = nil
    ) throws -> SignInPage {
        SignInPage(
            origin: "https://app.example", title: title, providers: providers, texts: try PageTexts(nil),
            style: Array("main { --x: 1 }".utf8),
            logo: logo)
    }

    private func html(_ page: SignInPage? = nil, _ change: (inout SignInPage.Content) -> Void = { _ in }) -> String {
        var content = SignInPage.Content()
        change(&content)
        return String(decoding: (page ?? self.page).render(content), as: UTF8.self)
    }

    private static func account(
        name: String? = "Ada", email: String? = "ada@example.com", providers: [String] = ["github.com", "google.com"],
        isDeletable: Bool = true
    ) -> SignInPage.Account {
        SignInPage.Account(
            uid: "5b1c", name: name, email: email, providers: providers, reauthenticatesAt: "google.com",
            isDeletable: isDeletable)
    }

    // MARK: - Signed out

    @Test func `a signed-out page has a link for each provider, and nothing else to choose`() {
        let html = html { $0.address = "/.gatehouse/?return_to=https%3A%2F%2Fapp.example%2Fhome" }
        let links = html.matches(of: /<a [^>]*href="([^"]*)"[^>]*>([^<]*)</).map { "\($0.1) \($0.2)" }
        let returnTo = "%2F.gatehouse%2F%3Freturn_to%3Dhttps%253A%252F%252Fapp.example%252Fhome"
        #expect(
            links == [
                "/.gatehouse/sign-in/google.com?return_to=\(returnTo) Sign in with Google",
                "/.gatehouse/sign-in/oidc.corp?return_to=\(returnTo) Sign in with corp",
            ])
        #expect(!html.contains("<button") && html.contains("<html lang=\"en\" dir=\"ltr\">"))
        #expect(html.contains("<title>Sign in</title>") && html.contains("<h1>Sign in</h1>"))
    }

    @Test func `a user who must sign in again is offered that in place of the target`() {
        let target = "https://app.example/home"
        let recent = html { ($0.account, $0.target) = (Self.account(), target) }
        #expect(recent.contains("href=\"\(target)\">Continue</a>") && !recent.contains("data-call=\"confirm\""))
        let old = html { ($0.account, $0.target, $0.needsSignIn) = (Self.account(), target, true) }
        #expect(old.contains("data-call=\"confirm\" data-provider=\"google.com\" hidden>Sign in again with Google<"))
        #expect(!old.contains(target))
        let without = html {
            $0.account = SignInPage.Account(
                uid: "5b1c", name: nil, email: nil, providers: [], reauthenticatesAt: nil, isDeletable: false)
            $0.needsSignIn = true
        }
        #expect(without.contains("<p>Please sign out and sign in again") && !without.contains("data-call=\"confirm\""))
    }

    @Test func `the page is in the client's language`() {
        let html = html { $0.languages = "de-CH, en;q=0.8" }
        #expect(html.contains("<html lang=\"de\" dir=\"ltr\">") && html.contains(">Mit Google anmelden</a>"))
    }

    @Test(arguments: [
        ("cancelled", "The sign-in was cancelled."), ("auth/user-disabled", "This account is disabled."),
        ("auth/unknown", "That did not work. Please try again."), ("sign_out", "That did not work. Please try again."),
        ("<script>alert(1)</script>", "That did not work. Please try again."),
    ])
    func `an error is a text of the page, whatever word the address has`(word: String, text: String) {
        let html = html { $0.error = word }
        #expect(html.contains("<p id=\"error\" class=\"message\" role=\"alert\" data-code=\""))
        #expect(html.contains("\">\(text)</p>\n<p id=\"status\""))
        #expect(!html.contains("alert(1)"))
    }

    // MARK: - Signed in

    @Test func `a signed-in page shows the user, the linked providers and the calls`() {
        let html = html { $0.account = Self.account() }
        for value in ["Ada", "ada@example.com", "5b1c"] { #expect(html.contains("<dd><bdi>\(value)</bdi></dd>")) }
        let calls = html.matches(of: /data-call="([^"]*)"( data-provider="([^"]*)")?/).map { "\($0.1) \($0.3 ?? "")" }
        #expect(
            calls == [
                "unlink github.com", "unlink google.com", "link oidc.corp", "sign-out ", "everywhere ", "delete ",
            ])
        #expect(html.contains("<div id=\"account\" data-reauthenticate=\"google.com\">"))
        #expect(!html.contains("/.gatehouse/sign-in/"))
    }

    @Test func `a signed-in page shows where the user is signed in`() {
        let other = String(repeating: "b", count: 32)
        let html = html {
            $0.account = Self.account()
            $0.account?.sessions = [
                SignInPage.Session(
                    id: String(repeating: "a", count: 32), provider: "google.com",
                    userAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36",
                    lastUsedAt: 1_700_000_000, isCurrent: true),
                SignInPage.Session(
                    id: other, provider: nil, userAgent: "<b>/1", lastUsedAt: 1_700_000_000, isCurrent: false),
            ]
        }
        #expect(html.contains("<h2 id=\"sessions\">Where you are signed in</h2>"))
        #expect(html.contains("Chrome, Linux<br><small>Google · this session</small>"))
        #expect(
            html.contains(
                "&lt;b&gt;<br><small>Firebase · last used <time datetime=\"2023-11-14T22:13:20Z\">"
                    + "2023-11-14 22:13:20 UTC</time></small>"))
        let ends = html.matches(of: /data-call="end" data-session="([^"]*)"[^>]*>([^<]*)</).map { "\($0.1) \($0.2)" }
        #expect(ends == ["\(other) End session: &lt;b&gt;"], "the calling session has no button")
        #expect(!self.html { $0.account = Self.account() }.contains("id=\"sessions\""))
    }

    @Test(arguments: [
        (nil, nil), ("", nil), ("Example/1.2 CFNetwork/1568", "Example"), ("curl/8.5.0", "curl"), ("x", "x"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) CriOS/130.0 Safari/604.1", "Chrome, iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/130.0 Safari/537.36 Edg/130.0", "Edge, Windows"),
        ("Mozilla/5.0 (Linux; Android 14) SamsungBrowser/25.0 Chrome/121.0 Safari/537.36", "Samsung Internet, Android"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 14.0; rv:130.0) Gecko/20100101 Firefox/130.0", "Firefox, macOS"),
        ("Firefox/1", "Firefox"),
    ])
    func `a session has a name that its user recognizes`(userAgent: String?, name: String?) {
        #expect(DeviceName.text(of: userAgent) == name)
    }

    @Test(arguments: [true, false])
    func `the last link of an account stays, and an account of another system is not deleted here`(isDeletable: Bool) {
        let html = html {
            $0.account = Self.account(name: nil, email: nil, providers: ["google.com"], isDeletable: isDeletable)
            $0.target = "https://app.example/?a=1&b='"
        }
        #expect(html.contains("data-call=\"unlink\"") == !isDeletable)
        #expect(html.contains("data-call=\"delete\"") == isDeletable)
        #expect(html.matches(of: /<dt>/).count == 1)
        #expect(html.contains("href=\"https://app.example/?a=1&amp;b=&#39;\">Continue</a>"))
    }

    // MARK: - Attacks

    @Test func `O-32: text of users, providers and addresses stays text`() throws {
        let page = try Self.page(title: Self.attack, providers: [Self.attack, "google.com"])
        for isSignedIn in [false, true] {
            let html = html(page) { content in
                content.error = Self.attack
                content.address = "/.gatehouse/?return_to=\(Self.attack)"
                content.target = Self.attack
                content.languages = Self.attack
                if isSignedIn {
                    content.account = Self.account(
                        name: Self.attack, email: Self.attack, providers: [Self.attack, "github.com"])
                }
            }
            #expect(!html.contains("<img") && !html.contains("<!--") && !html.contains("onerror=\""))
            // Two elements: the script file, and the data block.
            #expect(html.matches(of: /<script/).count == 2 && html.matches(of: /<\/script/).count == 2)
            for tag in html.matches(of: /<[a-z][^>]*>/) {
                #expect(tag.output.count { $0 == "\"" }.isMultiple(of: 2), "\(tag.output)")
                let names = tag.output.replacing(/"[^"]*"/, with: "")
                #expect(!names.contains(/\s(on[a-z]+|style|srcdoc)=/), "\(tag.output)")
            }
        }
    }

    @Test func `escaping covers text, quoted attributes and the data block`() {
        let text = #"<a href='x' b="y">&"#
        let html: HTML = "<p title=\"\(text)\">\(text)</p>"
        let escaped = "&lt;a href=&#39;x&#39; b=&quot;y&quot;&gt;&amp;"
        #expect(html.text == "<p title=\"\(escaped)\">\(escaped)</p>")
        let block: HTML = "\(json: Array(#"{"a":"</script><!--&"}"#.utf8))"
        #expect(block.text == #"{"a":"\u003C/script\u003E\u003C!--\u0026"}"#)
    }

    @Test func `the policy permits only the page's own files, and no frame and form`() throws {
        let fields = Dictionary(page.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        let files = "https://app.example/.gatehouse/assets/"
        #expect(
            fields["Content-Security-Policy"] == "default-src 'none'; script-src \(files); style-src \(files); "
                + "img-src \(files); connect-src https://app.example/.gatehouse/; form-action 'none'; "
                + "frame-ancestors 'none'; base-uri 'none'")
        #expect(fields["Cross-Origin-Opener-Policy"] == "same-origin")
        #expect(fields["Referrer-Policy"] == "no-referrer" && fields["X-Content-Type-Options"] == "nosniff")
        let html = html(try Self.page(logo: Array("<svg/>".utf8))) { $0.account = Self.account() }
        #expect(!html.contains("<style") && !html.contains("<form") && !html.contains("://"))
        let sources = html.matches(of: /(src|href)="([^"]*)"/).map { String($0.2) }
        #expect(sources.count == 4 && sources.allSatisfy { $0.hasPrefix("/.gatehouse/assets/") }, "\(sources)")
    }

    // MARK: - Files

    @Test func `the script is small, writes text and no markup, and calls only this origin`() {
        let script = String(decoding: PackageResources.page_js, as: UTF8.self)
        #expect(script.utf8.count < 8_192)
        for part in [
            "innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "DOMParser", "://",
            "import", "localStorage",
        ] {
            #expect(!script.contains(part), "\(part)")
        }
    }

    @Test func `a file has a tag of its content, which its address repeats`() throws {
        let assets = page.assets
        #expect(assets.map(\.path) == ["/.gatehouse/assets/page.css", "/.gatehouse/assets/page.js"])
        let style = try #require(assets.first)
        #expect(style.body.suffix(15) == Array("main { --x: 1 }".utf8)[...], "the operator's sheet is the last")
        let tag = try #require(style.tag)
        #expect(html().contains("href=\"\(style.path)?v=\(tag.replacing("\"", with: ""))\""))
        let other = SignInPage(
            origin: "https://app.example", title: nil, providers: [], texts: try PageTexts(nil))
        #expect(other.assets[0].tag != tag && other.assets[1].tag == assets[1].tag)
        for asset in assets {
            let fields = asset.fields.map(\.name)
            #expect(fields.contains("ETag") && fields.contains("X-Content-Type-Options"))
            let policy = try #require(asset.fields.first { $0.name == "Content-Security-Policy" }?.value)
            #expect(policy.hasPrefix("default-src 'none'; ") && policy.hasSuffix("; sandbox"))
        }
    }

    @Test(
        arguments: [
            (Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), "image/svg+xml"),
            ([0xEF, 0xBB, 0xBF] + Array(" \r\n<?xml version='1.0'?><svg/>".utf8), "image/svg+xml"),
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0], "image/png"), ([0xFF, 0xD8, 0xFF], nil),
            (Array("<html>".utf8), nil), ([], nil),
        ] as [([UInt8], String?)])
    func `an image is SVG or PNG`(bytes: [UInt8], type: String?) throws {
        #expect(PageAsset.imageType(of: bytes) == type)
        let assets = try Self.page(logo: bytes).assets
        #expect(assets.count == (type == nil ? 2 : 3) && assets.last?.body == (type == nil ? assets[1].body : bytes))
    }
}
