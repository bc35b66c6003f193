import Testing

@testable import SystemFixtures

/// `gatehouse check`, tested from outside.
struct CheckTests {
    static let upstreams = "upstreams: { api: { servers: ['http://127.0.0.1:3000'] } }\n"
    static let valid = """
        identity: { firebase: { project: demo-gatehouse } }
        upstreams: { api: { servers: ['http://127.0.0.1:3000'] } }
        routes:
          - path: /{path=**}
            upstream: api

        """

    /// Invalid configurations and the positions of their errors. `GatewayConfigurationTests` has every error.
    static let broken: [(yaml: String, at: [String])] = [
        (valid + "lisen: []\n", ["6:1"]),
        (valid + "  - path: /x\n    upstream: api\n    recent_sign_in: 5min\n    auth: maybe\n", ["8:21", "9:11"]),
        (valid + "rules: x.rules\n", ["6:8"]),
        ("routes: [\n", ["2:1"]),
    ]

    @Test(arguments: broken)
    func `each error is reported with its position and a remedy`(yaml: String, at places: [String]) async throws {
        let folder = try ScratchFolder()
        try folder.write(yaml, to: "broken.yaml")
        let run = try await CommandRun.run("check", "--config", "broken.yaml", in: folder)
        #expect(run.exitCode == 1)
        #expect(run.output == "")
        #expect(run.errorLines.count == places.count, "\(run.errors)")
        for (line, place) in zip(run.errorLines, places) {
            let position = line.wholeMatch(of: /(?:Error: )?broken\.yaml:([0-9]+:[0-9]+): .+; .+/)
            #expect(position.map { String($0.1) } == place, "\(line)")
        }
    }

    @Test func `the routes of a valid file are printed`() async throws {
        let run = try await CommandRun.check(Self.valid)
        #expect(run.exitCode == 0)
        #expect(run.output.contains("/{path=**}"))
        #expect(run.errors == "")
    }

    @Test func `the redirect URIs of the sign-in helper are shown`() async throws {
        let helper = Self.valid.replacing("project: demo-gatehouse", with: "project: my-app, auth_helper: true")
        let run = try await CommandRun.check(
            helper + "  - { path: /x, host: [app.example, '*.b.example'], upstream: api }\n")
        #expect(run.exitCode == 0 && run.errors == "")
        let lines = [
            "helper     /__/auth/ of https://my-app.firebaseapp.com", "register   https://HOST/__/auth/handler",
            "           https://app.example/__/auth/handler", "           https://NAME.b.example/__/auth/handler\n",
        ]
        #expect(run.output.contains(lines.joined(separator: "\n")))
    }

    @Test func `several projects and the hosts are shown`() async throws {
        let identity = """
            projects: [{ project: my-app }, { project: other-app, tenant: [acme-x1, globex-y2] }],
              hosts: { a.example: { project: my-app }, b.example: { project: other-app, tenant: acme-x1 },
              "*": unrestricted }
            """
        let valid = Self.valid.replacing("project: demo-gatehouse", with: identity)
        let run = try await CommandRun.check(valid + "    project: other-app\n    tenant: any\n")
        #expect(run.exitCode == 0 && run.errors == "", "\(run.errors)")
        let lines = [
            "projects   my-app, without tenants", "           other-app, the tenants acme-x1, globex-y2",
            "hosts      a.example: my-app", "           b.example: other-app, the tenant acme-x1",
            "           *: unrestricted\n",
        ]
        #expect(run.output.contains(lines.joined(separator: "\n")), "\(run.output)")
        #expect(run.output.contains("PROJECT") && run.output.contains("TENANT"))
        #expect(try await !CommandRun.check(Self.valid).output.contains("projects"))
    }

    @Test func `a file name with a line feed forges no line`() async throws {
        let folder = try ScratchFolder()
        try folder.write(Self.valid, to: "a\nb.yaml")
        let run = try await CommandRun.run("check", "--config", "a\nb.yaml", in: folder)
        #expect(run.exitCode == 0)
        #expect(run.output.contains("\na\\u000ab.yaml: valid, 1 route"))
    }

    @Test func `conditions and rules are shown`() async throws {
        let rules =
            "rules_version = '2'; service gatehouse.http { match /{rest=**} { allow read: if request.auth != null; } }"
        let more = "    allow: |\n      auth.uid != 'root'\n        && auth.token.email_verified\nrules: api.rules\n"
        let run = try await CommandRun.check(Self.valid + more, files: ["api.rules": rules])
        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(run.output.contains("ALLOW") && run.output.contains("auth.uid != 'root' && auth.token.email_verified"))
        #expect(run.output.contains("rules      api.rules: 1 allow statement\n"))
    }

    @Test func `every error in a rules file is reported with its position`() async throws {
        let rules =
            "rules_version = '2';\nservice gatehouse.http {\n  match /a { allow read: if nobody; }\n"
            + "  match /b { allow get: if nothing; }\n}\n"
        let run = try await CommandRun.check(Self.valid + "rules: api.rules\n", files: ["api.rules": rules])
        #expect(run.exitCode == 1)
        #expect(run.errorLines.count == 2, "\(run.errors)")
        for (line, place) in zip(run.errorLines, ["api.rules:3:29", "api.rules:4:28"]) {
            #expect(line.trimmingPrefix("Error: ").hasPrefix("\(place): "), "\(line)")
        }
    }

    @Test func `the sign-in page is shown with its address and files`() async throws {
        let run = try await CommandRun.check(
            """
            identity: { providers: { github.com: { client_id: a, client_secret: b } } }
            accounts: { public_url: 'https://api.example', pages: true, page: { logo: logo } }
            store: 'sqlite::memory:'
            upstreams: { api: { servers: ['http://127.0.0.1:3000'] } }
            routes: [{ path: /, upstream: api }]
            """, files: ["logo": "<svg/>"])
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.contains("page       https://api.example/.gatehouse/"), "\(run.output)\(run.errors)")
        for path in ["", "assets/page.css", "assets/page.js", "assets/logo"] {
            #expect(lines.contains("           GET /.gatehouse/\(path)"), "\(path)")
        }
    }

    @Test func `redirect URIs and the URLs of apps are shown for their registration`() async throws {
        let run = try await CommandRun.check(
            """
            identity: { providers: { github.com: { client_id: a, client_secret: b } } }
            accounts:
              public_url: https://api.example
              apps: [com.example.app:/callback, https://app.example/callback, http://127.0.0.1/callback]
            store: 'sqlite::memory:'
            upstreams: { api: { servers: ['http://127.0.0.1:3000'] } }
            routes: [{ path: /, upstream: api }]
            """)
        let lines = run.output.split(separator: "\n").map(String.init)
        for line in [
            "register   https://api.example/.gatehouse/callback/github.com at github.com",
            "apps       com.example.app:/callback: a URL scheme of the app",
            "           https://app.example/callback: a universal link or app link of the app",
            "           http://127.0.0.1/callback: any port, on the device of the app",
        ] {
            #expect(lines.contains(line), "\(run.output)\(run.errors)")
        }
    }

    @Test func `accounts are shown with their calls`() async throws {
        let more =
            "accounts: { issuer: 'https://api.example', origins: ['https://app.example'] }\nstore: 'sqlite::memory:'\n"
        let run = try await CommandRun.check(Self.valid + "    insecure_no_csrf: true\n" + more)
        #expect(run.exitCode == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(
            lines.contains(
                "accounts   on: session cookies of https://api.example, signed by a key in the store"))
        #expect(lines.contains("origins    https://app.example"))
        #expect(lines.contains("calls      POST /.gatehouse/nonce"))
        for call in ["POST /.gatehouse/events/backchannel-logout", "GET /.gatehouse/auth", "GET /.gatehouse/jwks.json"]
        {
            #expect(lines.contains("           \(call)"))
        }
        #expect(run.output.contains("CROSS-SITE"))
        #expect(
            run.errorLines.count == 1
                && run.errors.contains("pages of other sites can send requests with the user's session cookie"))
    }

    @Test func `transmitters of events are shown with the users that they name`() async throws {
        let more = """
            accounts: { transmitters: { corp: { issuer: 'https://ssf.example', audiences: [a], provider: firebase } } }
            store: 'sqlite::memory:'

            """
        let run = try await CommandRun.check(Self.valid + more)
        #expect(run.exitCode == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.contains("           POST /.gatehouse/events/ssf"))
        #expect(lines.contains("events     corp = https://ssf.example, users of firebase"))
    }

    @Test(arguments: [
        ["check", "gatehose.yaml"], ["check", "--config", "gatehose.yaml"], ["serve", "gatehose.yaml"],
        ["explain", "GET", "/", "--config", "gatehose.yaml"],
    ])
    func `a missing file is reported with its folder, similar names and how to create it`(
        arguments: [String]
    ) async throws {
        let folder = try ScratchFolder()
        try folder.write(Self.valid, to: "gatehouse.yaml")
        let run = try await CommandRun.run(arguments, in: folder)
        #expect(run.exitCode == 1)
        #expect(run.errorLines.count == 1 && run.errors.hasPrefix("gatehose.yaml:1:1: the folder '/"), "\(run.errors)")
        #expect(run.errors.contains("' has no configuration file 'gatehose.yaml'; did you mean 'gatehouse.yaml'? or "))
        #expect(run.errors.contains("create it, ") && run.errors.contains("gatehouse serve --firebase-project ID"))
    }

    @Test func `the usual file in another folder is suggested`() async throws {
        let folder = try ScratchFolder()
        try folder.write(Self.valid, to: "gatehouse.yaml")
        let run = try await CommandRun.run("check", in: folder)
        #expect(run.errors.contains("there is no folder '") && run.errors.contains("; did you mean 'gatehouse.yaml'?"))
    }

    @Test func `a file and --config exclude each other`() async throws {
        let run = try await CommandRun.run("check", "a.yaml", "--config", "b.yaml", in: ScratchFolder())
        #expect(run.exitCode == 64)
        #expect(run.errors.contains("a file excludes --config and --firebase-project/--upstream; give one of them"))
    }
}
