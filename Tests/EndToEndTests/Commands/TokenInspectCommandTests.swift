import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// `token inspect` of tokens in the forms that users paste, with and without a configuration.
struct TokenInspectCommandTests {
    private let folder: ScratchFolder
    private let token: String

    init() async throws {
        folder = try ScratchFolder()
        let run = try await CommandRun.run("token", "mint", "--user", "ada", "--keys", "keys", in: folder)
        token = run.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(run.exitCode == 0 && token.hasPrefix("ey"), "\(run.errors)")
    }

    private func inspect(_ arguments: String..., input: String? = nil) async throws -> CommandRun {
        try await CommandRun.run(["token", "inspect"] + arguments, input: input, in: folder)
    }

    @Test func `without a configuration a token is decoded, and not called valid`() async throws {
        let run = try await inspect("-", input: token)
        #expect(run.exitCode == 2 && run.errors == "", "\(run.output)\(run.errors)")
        #expect(run.output.contains("\"alg\": \"RS256\"") && run.output.contains("\"sub\": \"ada\""))
        #expect(run.output.contains(/ok +exp +not expired: 20[0-9-]+T[0-9:]+Z, in [0-9]/))
        #expect(run.output.contains(/\?\? +signature +not verified/))
        #expect(
            run.output.hasSuffix(
                "NOT VERIFIED. To verify it: gatehouse token inspect - --firebase-project demo-gatehouse\n"))
        #expect(!run.output.contains("VALID\n"))
    }

    @Test func `a pasted header, cookie, file and wrapped line are the same token`() async throws {
        // The rest of the output contains durations relative to the current time.
        func content(_ run: CommandRun) -> Substring {
            run.output.prefix(upTo: run.output.firstRange(of: "ok ")?.lowerBound ?? run.output.startIndex)
        }
        let expected = content(try await inspect(token))
        #expect(expected.contains("\"sub\": \"ada\""))
        let middle = token.index(token.startIndex, offsetBy: token.count / 2)
        let wrapped = "\"Authorization: Bearer \(token[..<middle])\n  \(token[middle...])\"\r\n"
        for pasted in [wrapped, "Cookie: a=b; __session=\(token); c=d", "__session='\(token)'"] {
            #expect(content(try await inspect(input: pasted)) == expected, "\(pasted)")
        }
        #expect(content(try await inspect("Bearer", token)) == expected)
        #expect(content(try await inspect("Authorization: Bearer \(token)")) == expected)
        try folder.write("Bearer \(token)\n", to: "token.txt")
        #expect(content(try await inspect("--file", "token.txt")) == expected)
    }

    @Test(arguments: [
        ("eyJhbGciOiJSUzI1NiJ9.e30", "a JWT has three parts with dots between them"),
        ("eyJhbGciOiJSUzI1NiJ9.x.eA", "its second part, the claims, is not base64url"),
        ("gho_secret", "only its provider can check it"), ("eyJhbGciOiJSUzI1NiJ9.e30", "\nNOT A TOKEN\n"),
    ])
    func `text that is not a JWT is reported with the reason`(text: String, message: String) async throws {
        let run = try await inspect("-", input: text)
        #expect(run.exitCode == 1 && run.output.contains(message), "\(run.output)\(run.errors)")
        #expect(!run.output.contains(text) && !run.output.contains("wrongPartCount"))
    }

    @Test func `with a project or configuration the token is verified`() async throws {
        let provider = try await DevelopmentProvider.start()
        let token = try provider.sign(provider.idToken(for: .ada))
        let keys = ["--keys-url", provider.url(.idTokenJWKSet), "--session-keys-url", provider.url(.sessionX509)]
        let project = try await CommandRun.run(
            ["token", "inspect", "-", "--firebase-project", "demo-gatehouse"] + keys, input: "Bearer \(token)",
            in: folder)
        #expect(project.exitCode == 0 && project.output.hasSuffix("VALID\n"), "\(project.output)\(project.errors)")
        try folder.write(CheckTests.valid, to: "gatehouse.yaml")
        let other = try await CommandRun.run(
            ["token", "inspect", "-", "--config", "gatehouse.yaml"] + keys, input: token + "x", in: folder)
        #expect(other.exitCode == 1 && other.output.contains("NOT VALID"), "\(other.output)\(other.errors)")
        await provider.stop()
    }

    @Test func `help warns about tokens in the process list, and names the alternatives`() async throws {
        let words = try await inspect("--help").output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("Other users of this machine can see the arguments of a process"))
        #expect(words.contains("Prefer standard input (-) or --file."))
    }
}
