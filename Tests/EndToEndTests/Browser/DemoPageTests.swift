import Foundation
import Testing

// Part of the suite of the demo, because two demos cannot use the same ports at the same time.
extension DemoTests {
    /// The page of the demo, used like a user does in a real browser.
    @Suite(
        .enabled(
            if: ChromeDriver.program != nil,
            "GATEHOUSE_CHROMEDRIVER names no chromedriver: script/test sets it, and script/setup --browser installs one"
        ))
    struct DemoPageTests {
        private static let signedOutText = "Nobody is signed in."

        @Test func `a Firebase ID token passes, is challenged, passes after a new sign-in and is revoked`() async throws
        {
            try await PageVisit.run(tab: nil) { visit in
                #expect(try visit.who() == Self.signedOutText)
                let early = try await visit.take("firebase-call")
                #expect(early.outcome.hasPrefix("Refused: 401 auth/missing-credential. "))
                #expect(early.next == ["Go to step 1"])

                let signedIn = try await visit.take("firebase-sign-in")
                #expect(signedIn.outcome == "Signed in as ada; auth_time of the token is an hour ago.")
                #expect(signedIn.wire == ["POST /mint 200"])
                #expect(
                    try visit.who() == "Ada Lovelace, through google; the token's sign-in was an hour ago")
                let passed = try await visit.take("firebase-call")
                #expect(passed.wire == ["GET /v1/hello/world 200"])
                #expect(passed.outcome.contains("received X-Auth-Uid: ada, X-Auth-Provider: google.com, "))

                let challenged = try await visit.take("firebase-sensitive")
                #expect(challenged.outcome.hasPrefix("Refused: 401 auth/requires-recent-login. "))
                #expect(challenged.outcome.contains("max_age=\"300\""))
                let proved = try await visit.follow("firebase-sensitive", to: "firebase-step-up")
                #expect(proved.outcome == "Signed in as ada; auth_time of the token is now.")
                #expect(try await visit.take("firebase-again").wire == ["DELETE /v1/account 200"])

                let revoked = try await visit.take("firebase-revoke")
                #expect(revoked.wire == ["POST /.gatehouse/sign-out 204"])
                let refused = try await visit.take("firebase-revoked")
                #expect(refused.outcome.hasPrefix("Refused: 401 auth/id-token-revoked. "))
                #expect(try visit.who() == "The credential is not accepted: auth/id-token-revoked")
                let fresh = try await visit.follow("firebase-revoked", to: "firebase-step-up")
                #expect(fresh.outcome.hasPrefix("Signed in as ada"))
                #expect(try await visit.take("firebase-revoked").wire == ["GET /v1/hello/world 200"])
                #expect(try visit.browser.complaints().isEmpty)
            }
        }

        @Test func `an old sign-in of Firebase cannot sign out everywhere, and no sign-in leads to step 1`()
            async throws
        {
            try await PageVisit.run(tab: nil) { visit in
                #expect(try await visit.take("firebase-revoke").next == ["Go to step 1"])
                _ = try await visit.take("firebase-sign-in")
                let refused = try await visit.take("firebase-revoke")
                #expect(refused.outcome.hasPrefix("Refused: 401 auth/requires-recent-login. "))
                #expect(refused.next == ["Sign in again"])
            }
        }

        @Test func `the keyboard selects a tab, and each tab keeps its own user`() async throws {
            try await PageVisit.run(tab: nil) { visit in
                let (home, end, left, right) = ("\u{E011}", "\u{E010}", "\u{E012}", "\u{E014}")
                let state = """
                    return [document.activeElement.id, ...[...document.querySelectorAll("[role=tab]")].map((tab) =>
                      [tab.ariaSelected, tab.tabIndex, document.getElementById(tab.getAttribute("aria-controls")).hidden]
                        .join(" "))]
                    """
                let firebase = ["tab-firebase", "true 0 false", "false -1 true"]
                let accounts = ["tab-accounts", "false -1 true", "true 0 false"]
                _ = try await visit.take("firebase-sign-in")
                let moves = [(right, accounts), (right, firebase), (left, accounts), (home, firebase), (end, accounts)]
                for (key, expected) in moves {
                    try visit.browser.press(key, in: "[role=tab][aria-selected=true]")
                    #expect(try visit.browser.evaluate(state) == expected)
                    try await visit.idle()
                }
                #expect(try visit.who() == Self.signedOutText)
                try await visit.signIn("grace")
                #expect(try visit.who().hasPrefix("Grace Hopper, through apple.com; the cookie's sign-in was "))
                try visit.browser.press(home, in: "#tab-accounts")
                try await visit.idle()
                #expect(try visit.who().hasPrefix("Ada Lovelace, through google; the token's sign-in was "))
            }
        }

        @Test func `an old sign-in is challenged and passes after a new one`() async throws {
            try await PageVisit.run { visit in
                #expect(try visit.who() == Self.signedOutText)
                let signedIn = try await visit.take("sign-in")
                let uid = try #require(signedIn.outcome.firstMatch(of: /a new account was made: uid ([0-9a-f]{32})$/)).1
                #expect(
                    signedIn.wire == ["POST /.gatehouse/nonce 200", "POST /mint 200", "POST /.gatehouse/sign-in 200"])
                let who = try visit.who()
                // The token with the new nonce was issued now, but the user authenticated an hour ago. The route
                // requires the latter.
                #expect(who.contains(/^Ada Lovelace, through apple.com; the cookie's sign-in was \d+ seconds ago/))
                #expect(try visit.browser.text("#auth").contains("\"uid\": \"\(uid)\""))

                let refused = try await visit.take("sensitive")
                #expect(refused.outcome.hasPrefix("Refused: 401 auth/requires-recent-login. "))
                #expect(refused.outcome.contains("max_age=\"300\""))
                #expect(refused.wire == ["DELETE /v1/account 401"])
                #expect(refused.next == ["Reauthenticate"])

                let proved = try await visit.follow("sensitive", to: "reauthenticate")
                #expect(proved.outcome.hasPrefix("Recorded for this session: signed in at "))
                #expect(proved.wire.last == "POST /.gatehouse/reauthenticate 200")
                let passed = try await visit.take("again")
                let received = "X-Auth-Uid: \(uid), X-Auth-Provider: apple.com, "
                #expect(passed.outcome.hasPrefix("Passed. The service behind the gateway received \(received)"))
                #expect(passed.wire == ["DELETE /v1/account 200"])
            }
        }

        @Test func `a second provider is linked and unlinked, and the last one stays`() async throws {
            try await PageVisit.run { visit in
                try await visit.signIn("ada")
                let linked = try await visit.link("ada", through: "github.com")
                #expect(linked.outcome == "Linked to this account: apple.com, github.com")
                #expect(linked.wire == ["POST /mint 200", "POST /.gatehouse/link 200"])
                #expect(try visit.browser.text("#providers") == "apple.com, github.com")
                let unlinked = try await visit.press("#unlink-buttons button:last-child", showing: "unlink")
                #expect(unlinked.outcome == "github.com is unlinked; left: apple.com")
                let refused = try await visit.press("#unlink-buttons button", showing: "unlink")
                #expect(refused.outcome.hasPrefix("Refused: 400 "))
                #expect(try visit.browser.text("#providers") == "apple.com")
            }
        }

        @Test func `an identity of another account leads to that account`() async throws {
            try await PageVisit.run { visit in
                let ada = try await visit.signIn("ada")
                #expect(try await visit.link("ada", through: "github.com").outcome.hasPrefix("Linked"))
                let grace = try await visit.signIn("grace")
                #expect(grace != ada)
                let refused = try await visit.link("ada", through: "github.com")
                #expect(refused.outcome.hasPrefix("Refused: 409 auth/credential-already-in-use. "))
                #expect(refused.next == ["Sign in to the account that has it"])
                let entered = try await visit.follow("link", to: "sign-in")
                #expect(entered.outcome == "Signed in: uid \(ada)")
                #expect(entered.wire == ["POST /.gatehouse/sign-in 200"])
            }
        }

        @Test func `an address of an existing account has to be linked by its user`() async throws {
            try await PageVisit.run { visit in
                let uid = try await visit.signIn("grace")
                #expect(try await visit.take("sign-out").outcome == "This session has ended.")
                try visit.browser.choose("google.com", in: "#sign-in-provider")
                let refused = try await visit.take("sign-in")
                #expect(refused.outcome.hasPrefix("Refused: 409 auth/account-exists-with-different-credential. "))
                #expect(try await visit.signIn("grace") == uid)
                let linked = try await visit.follow("link", to: "link")
                #expect(linked.outcome == "Linked to this account: apple.com, google.com")
            }
        }

        @Test func `a hidden address is linked only with consent`() async throws {
            try await PageVisit.run { visit in
                try await visit.signIn("alan")
                let refused = try await visit.link("alan", through: "github.com")
                #expect(refused.outcome.hasPrefix("Refused: 409 auth/consent-required. "))
                #expect(refused.next == ["The person agrees: link"])
                #expect(
                    try await visit.follow("link", to: "link").outcome
                        == "Linked to this account: apple.com, github.com")
            }
        }

        @Test(arguments: [false, true]) func `a copied cookie is revoked by the sign-out`(everywhere: Bool) async throws
        {
            try await PageVisit.run { visit in
                try await visit.signIn("ada")
                let cookie = try #require(try visit.sessionCookie())
                #expect(cookie.httpOnly && cookie.secure && cookie.sameSite == "Lax")
                let out = try await visit.take("sign-out", by: everywhere ? "sign-out-everywhere" : "sign-out")
                #expect(out.wire == ["POST /.gatehouse/sign-out 204"])
                #expect(try visit.who() == Self.signedOutText)
                #expect(try visit.sessionCookie() == nil)
                let port = try #require(visit.gateway.port)
                let copied = try RawClient.exchange(port, .cookie(cookie.value, "/v1/hello/world"))
                #expect(copied.status == 401 && copied.text.contains("auth/session-cookie-revoked"), "\(copied.text)")
                #expect(try await visit.take("again").next == ["Go to step 1"])
            }
        }

        @Test func `L-05: the page shows every value as text`() async throws {
            try await PageVisit.run { visit in
                let name = "<img id=intruder src=x onerror=alert(1)>"
                let script =
                    "const [first] = document.getElementById('sign-in-person').options; first.value = arguments[0]"
                _ = try visit.browser.evaluate(script, name) as String?
                let shown = try await visit.take("sign-in")
                #expect(shown.wire.count > 1)
                let sent: String = try visit.browser.evaluate("return document.getElementById('sign-in').textContent")
                #expect(sent.contains(name))
                #expect(try visit.browser.evaluate("return document.getElementById('intruder') === null") as Bool)
            }
        }

        @Test func `the page loads no resources of other origins and satisfies its policy`() async throws {
            try await PageVisit.run { visit in
                try await visit.signIn("ada")
                let loaded: [String] = try visit.browser.evaluate(
                    "return performance.getEntriesByType('resource').map((entry) => entry.name)")
                #expect(loaded.count > 3)
                #expect(loaded.allSatisfy { $0.hasPrefix("http://127.0.0.1:") }, "\(loaded)")
                let complaints = try visit.browser.complaints()
                #expect(complaints.isEmpty, "\(complaints)")
                let script =
                    "document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'}))"
                _ = try visit.browser.evaluate(script) as String?
                #expect(try visit.browser.evaluate("return window.ran === undefined") as Bool)
                #expect(try visit.browser.console().contains { $0.message.contains("Content Security Policy") })
            }
        }
    }
}
