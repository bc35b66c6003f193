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

    @Test func `accounts are listed and found, sessions are listed and ended, and two accounts are merged`()
        async throws
    {
        try await Scenario.withAccounts { scenario in
            var (app, other) = (AccountApp(scenario), AccountApp(scenario))
            let uid = try #require(try app.signIn(.google, as: .ada)["uid"]?.stringValue)
            let source = try #require(try other.signIn(.oidc("corp"), as: .grace)["uid"]?.stringValue)
            func run(_ arguments: String..., exitCode: Int32 = 0) async throws -> CommandRun {
                let run = try await CommandRun.admin(["account"] + arguments, at: scenario.gateway)
                #expect(run.exitCode == exitCode, "\(run.output)\(run.errors)")
                return run
            }
            let listed = try await run("list").output
            #expect(listed.contains(uid) && listed.contains(source) && listed.contains("ada@example.com"), "\(listed)")
            #expect(listed.hasPrefix("UID ") && listed.hasSuffix("no more accounts\n"), "\(listed)")
            let part = try await run("list", "--limit", "1").output
            let cursor = try #require(part.split(separator: "\n").last?.split(separator: " ").last.map(String.init))
            let rest = try await run("list", "--cursor", cursor).output
            #expect(part.contains(uid) != rest.contains(uid), "\(part)\(rest)")
            let invalid = try await run("list", "--cursor", "%", exitCode: 1).errors
            #expect(invalid.contains("Begin the list again"), "\(invalid)")
            _ = try await run("list", "--limit", "101", exitCode: 64)

            #expect(try await run("search", "--email", "ada@example.com").output == "\(uid)\n")
            let subject = DevelopmentUser.grace.subject(at: "oidc.corp")
            let found = try await run("search", "--provider", "oidc.corp", "--subject", subject).output
            #expect(found == "\(source)\n")
            let missing = try await run("search", "--email", "nobody@example.com", exitCode: 1).errors
            #expect(missing.contains("no account has it"), "\(missing)")
            _ = try await run("search", "--provider", "oidc.corp", exitCode: 64)

            let sessions = try await run("sessions", uid).output.split(separator: "\n")
            try #require(sessions.count == 2 && sessions[0].hasPrefix("SESSION "))
            let id = try #require(sessions[1].split(separator: " ").first.map(String.init))
            #expect(sessions[1].contains("google.com"))
            #expect(try await run("end-session", uid, id).output == "\(uid), session \(id): ended\n")
            #expect(try app.get("/me/x").status == 401)
            #expect(try await run("sessions", uid).output == "\(uid): no sessions\n")
            let unknown = try await run("end-session", uid, String(repeating: "a", count: 32), exitCode: 1).errors
            #expect(unknown.contains("List the sessions again"), "\(unknown)")

            let merged = try await run("merge", source, "--into", uid).output
            #expect(merged.hasPrefix("\(uid): created at 20"), "\(merged)")
            #expect(merged.hasSuffix("; linked: google.com, oidc.corp\n"), "\(merged)")
            #expect(try await run("merge", source, "--into", uid).output == merged, "a repetition is safe")
            #expect(try other.get("/me/x").status == 401)
            #expect(try await run("show", source).output.hasSuffix(", merged into \(uid)\n"))
            let refused = try await run("merge", uid, "--into", source, exitCode: 1).errors
            #expect(refused.contains("was deleted or merged"), "\(refused)")
            // The identity signs in to the account that remains.
            other.session = nil
            let again = try other.signIn(.oidc("corp"), as: .grace)["uid"]?.stringValue
            #expect(again == uid)
            try await scenario.gateway.untilLogged("event=merge_accounts")
        }
    }
}
