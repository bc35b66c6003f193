import Testing

@testable import SystemFixtures

/// Configurations that would lift a restriction in silence, or cost more than their bytes: `gatehouse check` from outside.
struct RefusedConfigurationTests {
    /// Further lines below a valid configuration, and what the error says.
    private static let below = "identity: { firebase: { project: a } }\n\(CheckTests.upstreams)"
    private static let route = below + "routes:\n  - upstream: api\n    path: /x\n    "
    private static let google = """
        identity:
          providers:
            google.com:
              audiences: [app]
              KEY
        \(CheckTests.upstreams)routes: [{ path: /x, upstream: api }]

        """

    static let refused: [(yaml: String, error: String)] = [
        (google.replacing("KEY", with: "hosted_domain: ${EMPTY}"), "5:22: the environment variable EMPTY is empty"),
        (
            google.replacing("KEY", with: "authorized_parties:"),
            "5:7: identity.providers.google.com.authorized_parties is empty"
        ),
        (route + "host: ${EMPTY:-}\n", "6:11: routes[].host is empty after substitution"),
        (route + "methods:\n", "6:5: routes[].methods is empty"),
        (route + "methods: []\n", "6:14: routes[].methods is an empty list"),
        (route + "revocation: # strict\n", "6:5: routes[].revocation is empty"),
        (route + "revocation: null\n", "6:17: routes[].revocation is null"),
        (CheckTests.valid + "store: ${EMPTY}\n", "6:8: the environment variable EMPTY is empty"),
        (CheckTests.valid + "store: ${file:empty}\n", "6:8: the file 'empty' is empty"),
        (
            CheckTests.valid + "listen:\n  - address: 127.0.0.1:0\n    tls:\n      # certificate: a\n",
            "8:5: listen[].tls is empty"
        ),
        (
            CheckTests.valid.replacing("project: demo-gatehouse", with: "project: a, tenant: ''"),
            "1:45: identity.firebase.tenant is empty"
        ),
        (
            CheckTests.valid.replacing("/{path=**}", with: "/users/:id"),
            "4:11: routes[].path has the segment ':id', which would match only as it stands; write {id}"
        ),
        (
            CheckTests.valid.replacing("/{path=**}", with: "/users/<int:id>"),
            "4:11: routes[].path has the segment '<int:id>'"
        ),
        (
            route + "methods: [GETT]\n",
            "6:15: routes[].methods[] is 'GETT', a method that is not registered; did you mean 'GET'?"
        ),
        ("--- {\"a\":&a [x],\"b\":*a}\n", "1:10: YAML anchors ('&') are not allowed"),
        ("%YAML 1.1\n--- {\"a\":&a [x],\"b\":*a}\n", "1:1: a YAML directive ('%')"),
        ("--- !!map\na: 1\n", "1:5: YAML tags ('!') are not allowed"),
        ("? [a]\n: 1\n", "1:3: a key that is not a text"),
        (bomb, "1:10: YAML anchors ('&') are not allowed"),
    ]

    /// A key of 2^40 texts in fewer than 1,500 bytes.
    static let bomb: String = {
        let levels = (1...40).map { "\"\($0)\":&\($0) [*\($0 - 1),*\($0 - 1)]" }
        return "--- {\"0\":&0 [x,y],\(levels.joined(separator: ",")),? [*40] : 1}\n"
    }()

    @Test(arguments: refused)
    func `check refuses it with its place`(yaml: String, error: String) async throws {
        let folder = try ScratchFolder()
        try folder.write(yaml, to: "gatehouse.yaml")
        try folder.write("\n", to: "empty")
        let start = ContinuousClock.now
        let run = try await CommandRun.run(
            "check", "--config", "gatehouse.yaml", environment: ["EMPTY": ""], in: folder)
        #expect(run.exitCode == 1 && run.output == "", "\(run.errors)")
        #expect(run.errors.contains("gatehouse.yaml:\(error)"), "\(run.errors)")
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    static let warned: [(yaml: String, warning: String)] = [
        (
            below
                + "routes:\n  - { path: /A, case_insensitive: true, upstream: api }\n  - { path: /a, auth: none, upstream: api }\n",
            "4:13: warning: '/A' in any case asks for a credential, but '/a' at line 5 opens that spelling"
        ),
        (
            below
                + "routes:\n  - { path: '/a/{id}', methods: [DELETE], upstream: api }\n  - { path: '/{x=**}', upstream: api }\n",
            "4:13: warning: GET of '/a/{id}' is 405, although '/{x=**}' at line 5 would take it"
        ),
        (
            below + "routes: [{ path: '/a/**', strip_prefix: /a, merge_slashes: false, upstream: api }]\n",
            "3:18: warning: merge_slashes: false with strip_prefix"
        ),
        (
            below + "routes: [{ path: '/{x}', encoded_slashes: keep, allow: auth.uid == x, upstream: api }]\n",
            "3:18: warning: encoded_slashes: keep with rules"
        ),
    ]

    @Test(arguments: warned)
    func `check warns of it with its place`(yaml: String, warning: String) async throws {
        let folder = try ScratchFolder()
        try folder.write(yaml, to: "gatehouse.yaml")
        let run = try await CommandRun.run("check", "--config", "gatehouse.yaml", in: folder)
        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(run.errorLines.count == 1 && run.errors.contains("gatehouse.yaml:\(warning)"), "\(run.errors)")
    }
}
