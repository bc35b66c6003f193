import Foundation
import Testing

@testable import SystemFixtures

/// The sign-in page of a running gateway: its responses, its files, and its place in `check` and `explain`.
@Suite struct SignInPageRunTests {
    private static let logo = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>"

    private static func run(_ more: String, _ body: (Scenario) async throws -> Void) async throws {
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.offerFlows(provider, more: more)
            configuration.files["logo.svg"] = logo
            configuration.files["texts.json"] = #"{"fr": {"sign_in_with": "Connexion avec {provider}"}}"#
        }) { try await body($0) }
    }

    @Test func `the page and its files have strict fields, and no other methods`() async throws {
        try await Self.run(", pages: true, page: { title: 'A & B', logo: logo.svg, translations: texts.json }") {
            scenario in
            let page = try scenario.send(.get("/.gatehouse/", "Accept-Language: fr-CA, de;q=0.5"))
            #expect(page.status == 200 && page["Content-Type"] == "text/html; charset=utf-8", "\(page.text)")
            #expect(page.text.contains("<html lang=\"fr\"") && page.text.contains(">Connexion avec Google</a>"))
            #expect(page.text.contains("<title>Sign in · A &amp; B</title>") && page["Cache-Control"] == "no-store")
            #expect(page["Content-Security-Policy"]?.hasPrefix("default-src 'none'; script-src http://") == true)
            #expect(page["Referrer-Policy"] == "no-referrer" && page["X-Content-Type-Options"] == "nosniff")
            let head = try scenario.send(WireRequest(method: "HEAD", target: "/.gatehouse/"))
            #expect(head.status == 200 && head.body.isEmpty)
            let elsewhere = try scenario.send(.get("/.gatehouse/?return_to=//evil.example"))
            #expect(elsewhere.status == 400)

            for match in page.text.matches(of: /(?:src|href)="(\/.gatehouse\/assets\/[^"]*)"/) {
                let file = try scenario.send(.get(String(match.1)))
                #expect(file.status == 200 && file["X-Content-Type-Options"] == "nosniff", "\(match.1)")
                #expect(file["Content-Security-Policy"]?.hasSuffix("; sandbox") == true)
                #expect(file["Cache-Control"] == "public, max-age=300")
                let tag = try #require(file["ETag"])
                for list in [tag, "W/\(tag)", "\"a\" ,\t\(tag) , \"b\""] {
                    let again = try scenario.send(.get(String(match.1), "If-None-Match: \(list)"))
                    #expect(again.status == 304 && again.body.isEmpty && again["ETag"] == tag, "\(list)")
                }
                // A page of another version must not use this file, nor cache it under its own version.
                let path = match.1.prefix { $0 != "?" }
                for query in ["v=0123456789abcdef", "v=", "x", String(match.1.drop { $0 != "?" }.dropFirst()) + "0"] {
                    let foreign = try scenario.send(.get("\(path)?\(query)"))
                    #expect(foreign.status == 404 && foreign["Cache-Control"] == "no-store", "\(query)")
                }
                let other = try scenario.send(.get(String(match.1), "If-None-Match: \"x\(tag.dropFirst())"))
                #expect(other.status == 200 && other.body == file.body)
            }
            let image = try scenario.send(.get("/.gatehouse/assets/logo"))
            #expect(image["Content-Type"] == "image/svg+xml" && image.text == Self.logo)

            for (method, target, status) in [
                ("POST", "/.gatehouse/", 405), ("DELETE", "/.gatehouse/assets/logo", 405),
                ("GET", "/.gatehouse/assets/", 404), ("GET", "/.gatehouse/assets/page.html", 404),
                ("GET", "/.gatehouse/assets/../assets/page.js", 404),
            ] {
                let response = try scenario.send(WireRequest(method: method, target: target))
                #expect(response.status == status, "\(method) \(target)")
                #expect(status != 405 || response["Allow"] == "GET, HEAD")
            }
        }
    }

    @Test func `without pages nothing is served`() async throws {
        try await Self.run("") { scenario in
            for target in ["/.gatehouse/", "/.gatehouse/assets/page.js", "/.gatehouse/assets/logo"] {
                let response = try scenario.send(.get(target))
                #expect(response.status == 404, "\(target)")
            }
        }
    }
}
