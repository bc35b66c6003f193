import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// The pages for new users: their commands return the printed results.
@Suite struct ManualPageTests {
    @Test(arguments: ["docs/start/quick-start.md", "docs/start/your-first-configuration.md"])
    func `each command of the page has the printed result`(path: String) async throws {
        let page = try ManualPage(path)
        #expect(page.parts.count > 10)
        try await OwnThread.run { try await ManualRun().run(page) }
    }

    @Test func `the configuration of the quick start is the file that it names`() throws {
        for case .file(let name, let text) in try ManualPage("docs/start/quick-start.md").parts {
            #expect(name == "config/gatehouse.yaml")
            #expect(try String(contentsOf: Repository.root.appending(path: name), encoding: .utf8) == text)
        }
    }

    @Test func `files, commands and results of a page are recognised`() {
        let page = ManualPage(
            MarkdownPage(
                "page.md",
                text: """
                    Save this as `a.yaml`:
                    ```yaml
                    a: 1
                    ```
                    ```http
                    HTTP/1.1 200 OK
                    ```
                    ```console
                    $ one \\
                        two
                    a ... b
                    c
                    $ three
                    ```
                    """))
        #expect(
            page.parts.map { "\($0)" } == [
                #"file(name: "a.yaml", text: "a: 1\n")"#, #"command("one \\\n    two", output: "a ... b\nc")"#,
                #"command("three", output: "")"#,
            ])
    }

    @Test(arguments: [
        ("a", "a\r\n", true), ("a", "b", false), ("a", "a\nb", false), ("", "a", false), ("", "\n", true),
        ("a...z", "a\nb\nz", true), ("a...z", "a\nz\nb", false),
        ("{\"a\":1,...,\"b\":2}", "{\"a\":1,\"c\":3,\"b\":2}", true),
        ("...m...z", "a\nm\nz", true), ("...m...z", "a\nz", false),
    ])
    func `an output is compared with the stated one`(stated: String, output: String, matches: Bool) {
        #expect(StatedOutput.matches(stated, output) == matches)
    }
}

extension ManualPageTests {
    /// The configuration that README.md and docs/index.md show.
    @Suite struct FrontPageTests {
        private static func yaml(_ path: String) throws -> String {
            let text = try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
            return String(try #require(text.firstMatch(of: /```yaml\n((?s).*?)```/)).1)
        }

        @Test func `the front pages show the same configuration, and it has no warning`() async throws {
            let yaml = try Self.yaml("README.md")
            #expect(try Self.yaml("docs/index.md") == yaml)
            let run = try await CommandRun.check(yaml)
            #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run.errors)")
        }

        /// Requests, the age of the sign-in in seconds (`nil` without a token), and parts of the output of `explain`.
        private static let requests: [(request: String, signInAge: Int64?, expected: [String])] = [
            ("GET /health", nil, ["PASSES to api", "anonymous"]),
            ("GET /v1/orders", nil, ["REFUSED with 401 auth/missing-credential"]),
            ("GET /v1/orders", 3600, ["PASSES to api"]),
            ("GET /v1/account", nil, ["REFUSED with 401 auth/missing-credential"]),
            ("GET /v1/account", 3600, ["PASSES to api"]),
            ("DELETE /v1/account", 60, ["PASSES to api"]),
            (
                "DELETE /v1/account", 3600,
                [
                    "REFUSED with 401 auth/requires-recent-login",
                    "WWW-Authenticate: Bearer error=\"insufficient_user_authentication\", max_age=\"300\"",
                ]
            ),
        ]

        @Test(arguments: requests)
        func `explain confirms the text of the front page`(request: String, signInAge: Int64?, expected: [String])
            async throws
        {
            let provider = try await DevelopmentProvider.start(project: "my-app")
            let folder = try ScratchFolder()
            try folder.write(Self.yaml("README.md"), to: "gatehouse.yaml")
            var arguments = ["explain"] + request.split(separator: " ").map(String.init)
            arguments += ["--config", "gatehouse.yaml", "--keys-url", provider.url(.idTokenJWKSet)]
            arguments += ["--session-keys-url", provider.url(.sessionX509)]
            if let signInAge {
                let token = provider.idToken(for: .ada).signedIn(at: provider.now - signInAge)
                arguments += ["--token", try provider.sign(token)]
            }
            let run = try await CommandRun.run(arguments, in: folder)
            #expect(expected.allSatisfy(run.output.contains), "\(run.output)\(run.errors)")
            await provider.stop()
        }

        @Test func `the front page states the challenge of the sensitive route`() throws {
            let readme = try String(contentsOf: Repository.root.appending(path: "README.md"), encoding: .utf8)
            for line in Self.requests.flatMap(\.expected) where line.hasPrefix("WWW-Authenticate") {
                #expect(readme.contains(line))
            }
        }
    }
}
