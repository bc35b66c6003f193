import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// An app's page on another origin in a real browser: which calls and responses the browser allows to its script.
@Suite(
    // One browser at a time, because each one uses all cores while it starts.
    .serialized,
    .enabled(
        if: ChromeDriver.program != nil,
        "GATEHOUSE_CHROMEDRIVER names no chromedriver: script/test sets it, and script/setup --browser installs one"
    ))
struct CorsBrowserTests {
    @Test func `a preflighted call passes and its preflight is not forwarded`() async throws {
        try await AppPage.run { page in
            let answer = try page.call("/me/notes?field=X-Mark:seen", token: page.scenario.token())
            #expect(answer.status == 200, "\(answer)")
            let report = try #require(JSON(parsing: Array(answer.body.utf8)))
            #expect(report["auth"]?["uid"] == .string(DevelopmentUser.ada.uid))
            #expect(answer.marked == "seen")
            #expect(page.scenario.echo.received.map(\.method) == ["GET"])
        }
    }

    @Test func `the script reads the step-up challenge and passes with a recent sign-in`() async throws {
        try await AppPage.run { page in
            let old = try page.scenario.token { $0.signedIn(at: unixNow() - 4000) }
            let fresh = try page.scenario.token { $0.signedIn(at: unixNow() - 1) }
            #expect(try page.sensitive("/recent/account", token: old, fresh: fresh) == ["401", "max_age 300", "200"])
            #expect(try page.browser.text("#state") == "Sign in again: within 300 seconds")
            #expect(page.scenario.echo.received.map(\.method) == ["DELETE"])
        }
    }

    @Test func `the script reads the reason of a denied token`() async throws {
        try await AppPage.run { page in
            let answer = try page.call("/me/notes", token: "junk")
            #expect(answer.status == 401, "\(answer)")
            #expect(answer.challenge == "Bearer error=\"invalid_token\"")
            #expect(answer.body.contains("auth/argument-error"))
        }
    }

    @Test func `a page of an unknown origin reads nothing and sends nothing`() async throws {
        try await AppPage.run(isAllowed: false) { page in
            let answer = try page.call("/me/notes", token: page.scenario.token())
            #expect(answer.status == 0, "\(answer)")
            #expect(page.scenario.echo.requestCount == 0)
        }
    }

    @Test func `a WebSocket opens with the token as a subprotocol and closes at the revocation`() async throws {
        try await AppPage.run { page in
            let token = try page.scenario.token(.named("reader")) { $0.signedIn(at: unixNow() - 100) }
            let open = try page.openSocket("/room/ws", token: token)
            #expect(open.opened && open.protocolName == "bearer" && open.messages == ["hello"], "\(open)")
            let handshake = try #require(page.scenario.echo.received.first)
            #expect(!handshake.fields.contains { $0.value.contains(token) })
            let began = Date().timeIntervalSince1970 * 1000
            try page.scenario.admin("POST", "/v1/users/reader/revoke")
            let ended = try page.awaitClose()
            #expect(ended.code == 1008, "\(ended)")
            #expect(try #require(ended.milliseconds) - began < Allowance.hang / .milliseconds(1))
            let again = try page.openSocket("/room/ws", token: token)
            #expect(!again.opened)
        }
    }
}
