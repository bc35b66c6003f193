import DevelopmentIdentity
import Foundation
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// The operators' console in a real browser.
@Suite(
    .serialized,
    .enabled(
        if: ChromeDriver.program != nil,
        "GATEHOUSE_CHROMEDRIVER names no chromedriver: script/test sets it, and script/setup --browser installs one"
    ))
struct ConsoleBrowserTests {
    /// A text that is dangerous in HTML text, in attributes, in scripts and in styles.
    static let attack = #"</script><img src=x onerror="window.attacked=1">'"&lt;--><b>{uid}"#

    /// Runs with a gateway with the console, a browser, and a check that the page caused no errors.
    static func visit(
        arrange: @escaping (inout GatewayConfiguration) -> Void = { _ in }, _ body: (ConsoleVisit) async throws -> Void
    ) async throws {
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["admin"] = ConsoleVisit.admin
            arrange(&configuration)
        }) { scenario in
            let visit = try await ConsoleVisit(scenario)
            try await body(visit)
            try Self.expectNoComplaints(of: visit)
        }
    }

    static func expectNoComplaints(of visit: ConsoleVisit) throws {
        let complaints = try visit.browser.complaints()
        #expect(complaints.isEmpty, "\(complaints)")
        let isAttacked: Bool = try visit.browser.evaluate("return window.attacked === 1 || document.images.length > 0")
        #expect(!isAttacked)
    }

    // MARK: - Session

    @Test func `the keyboard signs in, uses the page, and signs out`() async throws {
        try await Self.visit { visit in
            try visit.open()
            try await visit.wait(for: "#field-token")
            try visit.expectAccessible("sign-in")
            try await visit.signIn("a wrong token")
            try await visit.wait(
                for: "This token is not valid. Compare it with admin.token of this gateway's configuration.",
                in: "#error")
            #expect(try visit.browser.evaluate("return document.activeElement.id") as String == "field-token")
            let _: Bool? = try visit.browser.evaluate("document.activeElement.value = ''")
            try await visit.signIn()
            try await visit.wait(for: "#pages a[aria-current=page]")
            let cookies = try visit.browser.cookies()
            #expect(cookies.allSatisfy { $0.httpOnly && $0.sameSite == "Strict" } && cookies.count == 1)
            // The skip link is the first stop, and leads to the content without changing the page.
            try visit.open()
            try await visit.wait(for: "#pages a[aria-current=page]")
            try visit.browser.press("\u{E004}", in: "body")
            #expect(try visit.browser.text(":focus") == "Skip to the content")
            try visit.browser.press("\u{E007}", in: ":focus")
            #expect(try visit.browser.evaluate("return document.activeElement.id") as String == "main")
            try visit.browser.press("\u{E007}", in: "#operator button")
            try await visit.wait(for: "You are signed out.", in: "#status")
            #expect(try visit.browser.cookies().isEmpty)
        }
    }

    @Test func `a session that ended leads to the sign-in, and then back to the page`() async throws {
        try await Self.visit { visit in
            try visit.open("#users?uid=ada")
            try await visit.signIn()
            try await visit.wait(for: "#user dl")
            let ended: Int = try visit.browser.evaluate(
                """
                const request = new XMLHttpRequest();
                request.open("GET", "session", false);
                request.send();
                const token = JSON.parse(request.responseText).csrf_token;
                request.open("DELETE", "session", false);
                request.setRequestHeader("X-CSRF-Token", token);
                request.send();
                return request.status;
                """)
            #expect(ended == 200)
            try await visit.press("Disable")
            try await visit.wait(for: "Your session has ended. Sign in again.", in: "#error")
            let record = JSON(parsing: try visit.scenario.admin("GET", "/v1/users/ada").body)
            #expect(record?["disabled"] == false)
            try await visit.signIn()
            try await visit.wait(for: "#user dl")
        }
    }

    // MARK: - Users

    @Test func `a revocation by click is refused on a second gateway`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(2, store: redis.store, arrange: { $0["admin"] = ConsoleVisit.admin }) { fleet in
            let visit = try await ConsoleVisit(fleet.first)
            let token = try fleet.first.token(.ada) { $0.signedIn(at: unixNow() - 100) }
            try await fleet.eventuallyAll(.bearer(token, "/me/console"), 200)
            try visit.open("#users")
            try await visit.signIn(name: "Grace")
            try await visit.wait(for: "#field-uid")
            try visit.expectAccessible("users, empty")
            try visit.browser.press("ada\u{E007}", in: "#field-uid")
            try await visit.wait(for: "#user dl")
            try visit.expectAccessible("users")

            try await visit.press("Revoke all sessions", confirming: false)
            try await visit.wait(for: "#confirm[open]")
            try visit.expectAccessible("confirmation")
            try visit.browser.press("\u{E00C}", in: "#confirm-no")
            #expect(try fleet.gateways[1].send(.bearer(token, "/me/console")).status == 200)
            try await visit.press("Revoke all sessions")
            try await visit.wait(for: "The sessions of ada are revoked.", in: "#status")
            try await fleet.eventuallyAll(.bearer(token, "/me/console"), 401)
            try await visit.press("Undo the revocation")
            try await visit.wait(for: "The revocation of ada is undone.", in: "#status")
            try await fleet.eventuallyAll(.bearer(token, "/me/console"), 200)
            try await visit.press("Disable")
            try await visit.wait(for: "ada is disabled.", in: "#status")
            try await fleet.eventuallyAll(.bearer(token, "/me/console"), 401)
            try await visit.press("Enable")
            try await visit.wait(for: "ada is enabled.", in: "#status")
            try await fleet.eventuallyAll(.bearer(token, "/me/console"), 200)
            try await fleet.first.gateway.untilLogged("msg=admin by=console client=127.0.0.1")
            let line = try #require(
                fleet.first.gateway.errors.split(separator: "\n").first { $0.contains("event=revoke ") })
            for part in ["msg=admin", "operator=Grace", "role=operator", "status=200", "uid=ada", "console_session="] {
                #expect(line.contains(part), "\(line)")
            }
            try Self.expectNoComplaints(of: visit)
        }
    }

    @Test func `characters that reorder text are shown by their code, also before a change`() async throws {
        try await Self.visit { visit in
            try visit.open("#users?uid=ada%E2%80%AEnimda")
            try await visit.signIn()
            try await visit.wait(for: "#user dl")
            let shown = #"ada\u{202e}nimda"#
            #expect(try visit.browser.text("#user dl bdi") == shown)
            try await visit.press("Disable", confirming: false)
            try await visit.wait(for: "#confirm[open]")
            #expect(try visit.browser.text("#confirm-text bdi") == shown)
            #expect(try visit.browser.text("#confirm-text").hasPrefix("All requests of \(shown) are denied"))
            try visit.browser.click("#confirm-yes")
            try await visit.wait(for: "\(shown) is disabled.", in: "#status")
        }
    }

    @Test func `an account is found by its address and by an identity, unlinked and deleted`() async throws {
        try await Scenario.withAccounts(arrange: { $0["admin"] = ConsoleVisit.admin }) { scenario in
            var app = AccountApp(scenario)
            let uid = try #require(try app.signIn(.google, as: .ada)["uid"]?.stringValue)
            #expect(try app.call("link", app.proof(.oidc("corp"), of: .grace)).status == 200)
            let visit = try await ConsoleVisit(scenario)
            try visit.open("#users")
            try await visit.signIn()
            let subject = DevelopmentUser.grace.subject(at: "oidc.corp")
            for (kind, values) in [
                ("email", [("email", "Nobody@example.com")]), ("email", [("email", "Ada@example.com")]),
                ("identity", [("provider", "oidc.corp"), ("subject", subject)]),
            ] {
                try visit.open("#users")
                try await visit.wait(for: "#field-kind")
                try visit.browser.choose(kind, in: "#field-kind")
                let _: Bool? = try visit.browser.evaluate(
                    "for (const input of document.querySelectorAll('.inputs input')) input.value = '';")
                for (name, value) in values { try visit.browser.press(value, in: "#field-\(name)") }
                try visit.browser.press("\u{E007}", in: "#field-\(values[0].0)")
                if values[0].1.hasPrefix("Nobody") {
                    try await visit.wait(
                        for: "No account of this gateway has this. Check the spelling.", in: "#error")
                } else {
                    try await visit.wait(for: uid, in: "#user dd")
                }
            }
            try visit.expectAccessible("account")
            try await visit.press("Unlink")
            try await visit.wait(for: "The identity of google.com is unlinked.", in: "#status")
            try await visit.press("Delete the account")
            try await visit.wait(for: "The account \(uid) is deleted.", in: "#status")
            #expect(try app.get("/me/deleted").status == 401)
            try Self.expectNoComplaints(of: visit)
        }
    }

    @Test func `the sessions of a user are listed, and one is ended on every gateway`() async throws {
        try await Fleet.withAccounts(arrange: { $1["admin"] = ConsoleVisit.admin }) { fleet, _ in
            var apps = fleet.gateways.map { AccountApp($0) }
            let uid = try #require(try apps[0].signIn(.oidc("corp"), as: .ada)["uid"]?.stringValue)
            let agent = "User-Agent: \(Self.attack)"
            let proof = try apps[1].proof(.oidc("corp"), of: .ada)
            let signedIn = try apps[1].call("sign-in", proof, agent)
            #expect(signedIn.status == 200, "\(signedIn.text)")
            let ended = try #require(apps[1].session)
            let visit = try await ConsoleVisit(fleet.first)
            try visit.open("#users?uid=\(uid)")
            try await visit.signIn()
            try await visit.wait(for: "#user dl")
            let rows =
                "return [...document.querySelectorAll('#user tbody tr')].map((row) => row.textContent)"
                + ".filter((row) => row.includes('End this session'))"
            let listed: [String] = try visit.browser.evaluate(rows)
            #expect(listed.count == 2 && listed.allSatisfy { $0.contains("oidc.corp") })
            // The text of a client is shown as text.
            #expect(listed.contains { $0.contains(Self.attack) })
            try visit.expectAccessible("sessions")
            // The first row has the latest use.
            let isFirst = listed[0].contains(Self.attack)
            if !isFirst {
                let _: Bool? = try visit.browser.evaluate(
                    """
                    const row = [...document.querySelectorAll('#user tbody tr')]
                      .find((row) => row.textContent.includes(arguments[0]));
                    row.parentElement.prepend(row);
                    """, Self.attack)
            }
            try await visit.press("End this session")
            try await eventually("the result") {
                let text = try visit.browser.text("#status")
                return text.hasPrefix("The session ") && text.hasSuffix(" has ended.") ? true : nil
            }
            for gateway in fleet.gateways { #expect(try gateway.send(.cookie(ended, "/strict/x")).status == 401) }
            try await fleet.eventuallyAll(.cookie(ended, "/me/x"), 401)
            #expect(try apps[0].get("/me/x").status == 200)
            let left: [String] = try visit.browser.evaluate(rows)
            #expect(left.count == 1)
            try await fleet.first.gateway.untilLogged("event=revoke_session")
            try Self.expectNoComplaints(of: visit)
        }
    }

    @Test func `a session is found and ended`() async throws {
        try await Self.visit { visit in
            let time = unixNow() - 100
            let token = try visit.scenario.token(.ada) { $0.signedIn(at: time) }
            try visit.open("#users?uid=ada")
            try await visit.signIn()
            try await visit.wait(for: "#field-session")
            try visit.browser.press("\(time)\u{E007}", in: "#field-session")
            try await visit.wait(for: ".badge.good")
            try await eventually("the session") { try visit.buttons().contains("End this session") ? true : nil }
            try visit.expectAccessible("session")
            try await visit.press("End this session")
            try await visit.wait(for: "The session \(time) has ended.", in: "#status")
            try visit.scenario.expectRefusal(.bearer(token, "/me/ended"), 401, "auth/id-token-revoked")
        }
    }

    @Test func `a viewer cannot change anything`() async throws {
        try await Self.visit { visit in
            try visit.open("#users?uid=ada")
            try await visit.signIn(ConsoleVisit.viewerToken)
            try await visit.wait(for: "#user dl")
            #expect(try visit.buttons() == ["Find", "Find"])
            #expect(try visit.browser.text("#operator span") == "Viewer: looks only")
            // A viewer who sends the request of an operator's page.
            let statuses: [Int] = try visit.browser.evaluate(
                """
                const send = (method, target, token) => {
                  const request = new XMLHttpRequest();
                  request.open(method, target, false);
                  if (token) request.setRequestHeader("X-CSRF-Token", token);
                  request.send();
                  return request;
                };
                const token = JSON.parse(send("GET", "session").responseText).csrf_token;
                return ["users/ada/disable", "users/ada/sessions/1/revoke", "accounts/ada/delete", "reload", "keys/refresh"]
                  .map((target) => send("POST", `api/v1/${target}`, token).status);
                """)
            #expect(statuses == [403, 403, 403, 403, 403])
            let record = JSON(parsing: try visit.scenario.admin("GET", "/v1/users/ada").body)
            #expect(record?["disabled"] == false)
        }
    }

    @Test func `O-38: a uid is shown as text, and a name that is a path changes no other user`() async throws {
        try await Self.visit { visit in
            let encoded = try #require(Self.attack.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            try visit.open("#users?uid=\(encoded)")
            try await visit.signIn(name: "<img src=x onerror=attacked=1>")
            try await visit.wait(for: Self.attack, in: "#user dd")
            try await visit.press("Disable")
            try await visit.wait(for: "\(Self.attack) is disabled.", in: "#status")
            #expect(try visit.browser.text("#operator span") == "Operator · <img src=x onerror=attacked=1>")
            for uid in [".", ".."] {
                try visit.open("#users?uid=disable&tenant=\(uid)")
                try await visit.wait(
                    for: "A browser cannot send this name in a path. Use the command line: gatehouse user.",
                    in: "#error")
            }
        }
    }
}
