import DevelopmentIdentity
import Testing

/// The commands for accounts, which call the admin API of a running gateway.
struct AccountCommandTests {
    @Test func `an account is shown, unlinked and deleted`() async throws {
        try await Scenario.withAccounts { scenario in
            var app = AccountApp(scenario)
            let uid = try #require(try app.signIn(.google, as: .ada)["uid"]?.stringValue)
            let linked = try app.call("link", app.proof(.oidc("corp"), of: .grace))
            #expect(linked.status == 200, "\(linked.text)")
            func run(_ arguments: String..., exitCode: Int32 = 0) async throws -> CommandRun {
                let run = try await CommandRun.admin(["account"] + arguments, at: scenario.gateway)
                #expect(run.exitCode == exitCode, "\(run.output)\(run.errors)")
                return run
            }
            let shown = try await run("show", uid).output
            #expect(shown.hasPrefix("\(uid): created at 20"), "\(shown)")
            #expect(shown.hasSuffix("; ada@example.com, verified; linked: google.com, oidc.corp\n"), "\(shown)")
            let subject = DevelopmentUser.grace.subject(at: "oidc.corp")
            #expect(try await run("show", uid, "--json").output.contains(#""subject":"\#(subject)""#))
            let unlinked = try await run("unlink", uid, "oidc.corp").output
            #expect(unlinked.hasSuffix("; linked: google.com\n"), "\(unlinked)")
            #expect(try await run("unlink", uid, "oidc.corp").output == unlinked, "a repetition is safe")
            #expect(try await run("unlink", uid, "google.com", exitCode: 1).errors.contains("the account's last link"))
            #expect(try app.get("/me/x").status == 200)
            let deleted = try await run("delete", uid).output
            #expect(deleted.hasPrefix("\(uid): deleted at 20"), "\(deleted)")
            #expect(try app.get("/me/x").status == 401)
            #expect(try await run("delete", uid).output == deleted)
            #expect(try await run("show", uid).output == deleted)
            #expect(try await run("delete", "ada", exitCode: 1).errors.contains("created no account"))
            #expect(try await run("show", "ada").output == "ada: no account of the gateway; nothing linked\n")
            try await scenario.gateway.untilLogged("event=delete")
        }
    }
}
