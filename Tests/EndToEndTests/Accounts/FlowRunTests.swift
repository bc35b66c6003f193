import DevelopmentIdentity
import Foundation
import JOSE
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// Whole authorization-code flows between a browser, gateways and the development provider.
struct FlowRunTests {
    /// The providers, each with a user of its kind.
    private static let people = [
        ("google.com", "ada"), ("apple.com", "ada"), ("microsoft.com", "barbara"), ("github.com", "linus"),
        ("oidc.corp", "grace"), ("yahoo.com", "margaret"), ("linkedin.com", "robot"),
    ]

    @Test func `a flow works at each provider, and ends at either of two gateways`() async throws {
        let redis = try await RedisServer()
        let folder = try ScratchFolder()
        let key = folder.path("session.pem")
        try Data(SigningKey.generate(.es256, keyID: "").pem()).write(to: URL(fileURLWithPath: key))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        try await Fleet.run(2, store: redis.store, arrangeWith: { $1.offerFlows($0, more: ", session_key: '\(key)'") })
        {
            fleet in
            for (id, user) in Self.people {
                var browser = FlowBrowser(fleet.gateways)
                let last = try browser.signIn(id, as: user)
                #expect(last.status == 303 && last["Location"] == "\(FlowBrowser.origin)/done", "\(id): \(last.text)")
                #expect(last["Referrer-Policy"] == "no-referrer" && last["Cache-Control"] == "no-store")
                let report = try #require(try browser.identity())
                #expect(report["X-Auth-Provider"] == id)
                #expect(!browser.visited.dropLast().contains { $0.contains("id_token") || $0.contains("__session") })
            }
            try Self.replay(fleet)
        }
        withExtendedLifetime(folder) {}
    }

    /// O-03: the same callback at both gateways at once, and again.
    private static func replay(_ fleet: Fleet) throws {
        var browser = FlowBrowser(fleet.gateways)
        let url = try browser.start("google.com")
        let back = try browser.send("\(url)&as=ada")
        let target = String(try #require(back["Location"]).dropFirst(FlowBrowser.origin.count))
        let cookie = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let request = WireRequest.get(target, "Cookie: \(cookie)")
        let clients = try (0..<20).map { try fleet.gateways[$0 % 2].client(sending: request) }
        let statuses = try clients.map { try $0.response(to: "GET").status }
        #expect(statuses.count { $0 == 303 } == 1 && statuses.count { $0 == 400 } == 19, "O-03: \(statuses)")
    }

    @Test func `O-09: a foreign page starts no flow and no link`() async throws {
        try await Scenario.run(arrange: { provider, _, configuration in configuration.offerFlows(provider) }) {
            scenario in
            var browser = FlowBrowser([scenario])
            try browser.signIn("google.com", as: "ada")
            let session = try #require(browser.session)
            let cookie = "Cookie: __session=\(session)"
            let start = "/.gatehouse/sign-in/google.com"
            for fields in [
                ["Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"],
                ["Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty"],
                ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"], ["Sec-Purpose: prefetch"],
            ] {
                let response = try scenario.send(WireRequest(target: start, fields: fields))
                #expect(response.status == 403 && response["Set-Cookie"] == nil, "\(fields)")
            }
            for (method, target, status) in [
                ("HEAD", start, 405), ("POST", start, 405), ("GET", "/.gatehouse/link/github.com", 405),
                ("GET", "/.gatehouse/sign-in/evil.example", 404), ("GET", "/.gatehouse/sign-in/", 404),
                ("HEAD", "/.gatehouse/callback/google.com", 405), ("GET", "/.gatehouse/sign-in/Google.com", 404),
            ] {
                let request = WireRequest(method: method, target: target, fields: [cookie])
                #expect(try scenario.send(request).status == status, "\(method) \(target)")
            }
            for field in ["Origin: https://evil.example", "Sec-Fetch-Site: cross-site"] {
                let link = WireRequest.post(
                    "/.gatehouse/link/github.com", cookie, field, "Content-Type: application/x-www-form-urlencoded")
                #expect(try scenario.send(link).status == 403, "\(field)")
            }
        }
    }

    @Test func `a link and a reauthentication run through the provider`() async throws {
        try await Scenario.run(arrange: { provider, _, configuration in configuration.offerFlows(provider) }) {
            scenario in
            var browser = FlowBrowser([scenario])
            try browser.signIn("google.com", as: "ada")
            let linked = try browser.begin("link/github.com", "return_to=/settings")
            let answer = try browser.finish(linked, as: "linus")
            #expect(answer["Location"] == "\(FlowBrowser.origin)/settings", "\(answer.text)")
            let again = try browser.begin("reauthenticate/google.com", "return_to=/again")
            let wrong = try browser.finish(again, as: "dennis")
            // The other user has another Workspace domain.
            #expect(wrong["Location"]?.contains("?error=") == true)
            let right = try browser.finish(try browser.begin("reauthenticate/google.com", ""), as: "ada")
            #expect(right["Location"] == "\(FlowBrowser.origin)/")
            let uid = try #require(try browser.identity()?["X-Auth-Uid"])
            var other = FlowBrowser([scenario])
            try other.signIn("github.com", as: "linus")
            #expect(try other.identity()?["X-Auth-Uid"] == uid)
        }
    }

    @Test func `refusing and an unknown state lead to words and pages of the gateway`() async throws {
        try await Scenario.run(arrange: { provider, _, configuration in configuration.offerFlows(provider) }) {
            scenario in
            for id in ["google.com", "apple.com", "github.com"] {
                var browser = FlowBrowser([scenario])
                let answer = try browser.signIn(id, as: "-", returnTo: "/x")
                #expect(answer["Location"] == "\(FlowBrowser.origin)/x?error=cancelled", "\(id): \(answer.text)")
                #expect(browser.session == nil)
            }
            let page = try scenario.send(.get("/.gatehouse/callback/google.com?state=%3Cscript%3E&code=x"))
            #expect(page.status == 400 && page["Content-Type"] == "text/html; charset=utf-8")
            #expect(page["Content-Security-Policy"]?.contains("default-src 'none'") == true)
            #expect(!page.text.contains("<script") && page.text.contains("Sign in again"))
            let bad = try scenario.send(.get("/.gatehouse/sign-in/google.com?return_to=//evil.example"))
            #expect(bad.status == 400 && bad["Location"] == nil)
        }
    }
}

extension FlowBrowser {
    /// Starts a flow of the session's user with a form. Returns the address at the provider.
    mutating func begin(_ path: String, _ form: String) throws -> String {
        let response = try send("\(Self.origin)/.gatehouse/\(path)", form: form)
        #expect(response.status == 303, "\(response.text)")
        return try #require(response["Location"])
    }
}
