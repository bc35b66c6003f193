import DevelopmentIdentity
import Testing

/// Fields of `headers.extra` with the values of expressions.
@Suite(
    .sharedScenario { configuration in
        configuration["headers"] = """
            { extra: { X-Role: token.role, X-Plan: "token.plan in ['pro', 'team'] ? 'paid' : 'free'",
              X-Staff: "token.email_verified && token.email.matches('.*@example[.]com')", X-First: "token.groups[0]",
              X-Count: token.groups.size(), X-Who: "{'uid': uid, 'groups': token.groups}", X-Line: token.line + '!' } }
            """
    }) struct ExtraExpressionTests: SharedScenarioSuite
{
    private func report(_ change: (FirebaseToken) -> FirebaseToken, _ fields: String...) throws -> EchoReport {
        var request = WireRequest.bearer(try scenario.token(.ada, change), "/me/x")
        request.fields += fields
        return try scenario.passes(request)
    }

    @Test func `each field has its value`() throws {
        let report = try report {
            $0.setting("role", to: "admin").setting("plan", to: "team").setting("groups", to: ["a b", "c"])
                .setting("email", to: "ada@example.com").setting("email_verified", to: true)
        }
        #expect(report.values("X-Role") == ["admin"] && report.values("X-Plan") == ["paid"])
        #expect(report.values("X-Staff") == ["true"] && report.values("X-Count") == ["2"])
        #expect(report.values("X-First") == ["a%20b"])
        #expect(report.values("X-Who") == [#"{"groups":["a%20b","c"],"uid":"ada"}"#])
    }

    @Test func `a failing expression adds no field and that of the client is removed`() throws {
        let report = try report(
            { $0.setting("groups", to: []).removing("email") }, "X-First: forged", "x_count: 9", "X-Plan: forged")
        #expect(report.values("X-First").isEmpty && report.values("X-Line").isEmpty && report.values("X-Plan").isEmpty)
        #expect(report.values("X-Count") == ["0"] && report["x_count"] == nil)
        #expect(!report.lines.joined().contains("forged"))
    }

    @Test func `A-14: a value never leaves its line`() throws {
        let report = try report { $0.setting("line", to: "a\r\nX-Auth-Uid: root") }
        #expect(report.values("X-Line") == ["a%0D%0AX-Auth-Uid:%20root!"])
        #expect(report.values("X-Auth-Uid") == ["ada"])
    }
}
