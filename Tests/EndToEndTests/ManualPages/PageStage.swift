import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// The demo's servers and the gateways of a page, on free ports instead of the ports on the page.
struct PageStage {
    /// The results of a page's commands.
    struct Run {
        /// The output of each command.
        var outputs: [String] = []
        /// Errors of commands, one per line.
        var failures: [String] = []
        /// Commands of programs that do not run here, one per line.
        var notRun: [String] = []
    }

    private static let adminToken = "demo-admin-token"
    private let provider: DevelopmentProvider
    private let echo: EchoUpstream
    /// The state of `gatehouse token mint`: the keys of the provider.
    private let state: ScratchFolder
    private let demo: GatewayProcess
    private var gateways: [Int: GatewayProcess] = [:]

    /// The keys of the provider. All commands share them, because their generation is slow.
    private static let keys = Result {
        let state = try ScratchFolder()
        return (state, try DevelopmentKeys.load(orCreateIn: state.path("gatehouse")))
    }

    /// Starts the servers, runs `body`, and stops them.
    static func run(_ steps: PageSteps, _ body: (PageStage) async throws -> Void) async throws {
        let (state, keys) = try keys.get()
        let provider = try await DevelopmentProvider.start(keys: keys, keyDirectory: state.path("gatehouse"))
        let echo = try await EchoUpstream.start()
        var stage = try PageStage(provider, echo, state)
        let result: Result<Void, any Error>
        do {
            try await stage.start(steps)
            result = .success(try await body(stage))
        } catch {
            result = .failure(error)
        }
        for gateway in [stage.demo] + stage.gateways.values { await gateway.kill() }
        await echo.stop()
        await provider.stop()
        try result.get()
    }

    private init(_ provider: DevelopmentProvider, _ echo: EchoUpstream, _ state: ScratchFolder) throws {
        (self.provider, self.echo, self.state) = (provider, echo, state)
        demo = try Self.gateway([
            "GATEHOUSE_DEMO_KEYS_URL": provider.url(.idTokenJWKSet),
            "GATEHOUSE_DEMO_SESSION_KEYS_URL": provider.url(.sessionX509),
            "GATEHOUSE_DEMO_PROVIDER_URL": "http://127.0.0.1:\(provider.port)",
            "GATEHOUSE_DEMO_UPSTREAM": echo.url, "GATEHOUSE_DEMO_ADMIN_TOKEN": Self.adminToken,
        ])
    }

    private static func gateway(_ environment: [String: String]) throws -> GatewayProcess {
        try GatewayProcess(
            arguments: ["--config", "try.yaml", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"],
            environment: environment)
    }

    /// Starts the gateways of the commands, with the changes of the recipes: the demo's project and services.
    private mutating func start(_ steps: PageSteps) async throws {
        for stage in Set(steps.commands.map(\.stage)) {
            guard let stage else {
                let file = Repository.configurations.appending(path: "demo.yaml")
                try await start(demo, steps.page, String(contentsOf: file, encoding: .utf8))
                try await demo.ready()
                continue
            }
            let yaml = steps.configurations[stage]
            var environment = PageConfiguration.environment(yaml)
            environment["GATEHOUSE_ADMIN_TOKEN"] = Self.adminToken
            environment["GATEHOUSE_FIREBASE_KEYS_URL"] = provider.url(.idTokenJWKSet)
            environment["GATEHOUSE_FIREBASE_SESSION_KEYS_URL"] = provider.url(.sessionX509)
            let gateway = try Self.gateway(environment)
            gateways[stage] = gateway
            try await start(gateway, steps.page, yaml)
        }
    }

    private func start(_ gateway: GatewayProcess, _ page: MarkdownPage, _ yaml: String) async throws {
        let examples = try PageExamples(page, provider, in: gateway.folder)
        // The log names the ports at the level `notice`.
        let text = try located(examples.configuration(yaml)).replacing(/(my|demo)-app\b/, with: "demo-gatehouse")
            .replacing(/level: (warning|error)\b/, with: "level: notice")
            .replacing(/(?m)^( *)project_number: [0-9]+$/) { appCheck(indent: String($0.output.1)) }
        for name in ["gatehouse.yaml", "try.yaml", "config/gatehouse.yaml", "etc/gatehouse/gatehouse.yaml"] {
            try FileManager.default.createDirectory(
                at: gateway.folder.url.appending(path: name).deletingLastPathComponent(),
                withIntermediateDirectories: true)
            try gateway.folder.write(text, to: name)
        }
        try gateway.folder.write(token(), to: "token.txt")
        try await gateway.start()
        // For `revoke`, which has no option for the address.
        let admin = "admin: { address: 127.0.0.1:\(gateway.adminPort), token: \(Self.adminToken) }\n"
        try gateway.folder.write(PageConfiguration.completed(admin), to: "client.yaml")
    }

    /// The number of the project on the pages.
    private static let projectNumber = "123456789012"

    /// The first keys of App Check, with the provider in place of Firebase.
    private func appCheck(indent: String) -> String {
        [
            "project_number: \(Self.projectNumber)", "keys_url: '\(provider.url(.idTokenJWKSet))'",
            "consume_url: '\(provider.url(.appCheckConsumption))'",
        ].map { indent + $0 }.joined(separator: "\n")
    }

    /// Returns an App Check token of the iOS app on the pages.
    private func appToken(_ id: String) throws -> String {
        let now = provider.now
        let claims: JSONObject = [
            "iss": .string("https://firebaseappcheck.googleapis.com/\(Self.projectNumber)"),
            "aud": [.string("projects/\(Self.projectNumber)")],
            "sub": .string("1:\(Self.projectNumber):ios:4e5f6a7b"), "jti": .string(id), "iat": .integer(now),
            "exp": .integer(now + 3600),
        ]
        return try provider.sign(FirebaseToken(kind: .idToken, claims: claims))
    }

    private func token(age: Int64 = 0) throws -> String {
        try provider.sign(provider.idToken(for: .ada).signedIn(at: unixNow() - age))
    }

    /// Replaces the ports of the demo's servers.
    private func located(_ text: String) -> String {
        text.replacing(/127\.0\.0\.1:(300[0-9]|9903)\b/, with: "127.0.0.1:\(echo.port)")
            .replacing(/127\.0\.0\.1:9902\b/, with: "127.0.0.1:\(provider.port)")
    }

    /// Replaces the ports and absolute paths of a page's commands.
    private func located(_ text: String, for gateway: GatewayProcess) -> String {
        // The shell would read a placeholder in angle brackets as a redirection.
        located(PageExamples.moved(text, into: gateway.folder))
            .replacing(/127\.0\.0\.1:(8080|8081)\b/, with: "127.0.0.1:\(gateway.port)")
            .replacing(/127\.0\.0\.1:(9901|9911)\b/, with: "127.0.0.1:\(gateway.adminPort)")
            .replacing(/<[a-z][a-z ]+>/, with: "placeholder").replacing(/\bFILE\b/, with: "gatehouse.yaml")
    }

    // MARK: - The shell

    /// Runs the commands of a page in one shell.
    func shell(_ steps: PageSteps) async throws -> Run {
        let folder = try ScratchFolder()
        var commands = steps.commands.enumerated().map { ("output-\($0)", $1.stage, $1.text) }
        if steps.page.isRecipe, let stage = steps.commands.first(where: { $0.stage != nil })?.stage {
            let setup = try MarkdownPage("docs/guides/recipes/README.md").blocks.filter { $0.comment == Self.setup }
            #expect(setup.count == 2)
            commands = setup.map { ("setup", stage, $0.text) } + commands
        }
        var script = try PageShell.definitions + variables(in: folder)
        for (index, (output, stage, text)) in commands.enumerated() {
            let gateway = stage.flatMap { gateways[$0] } ?? demo
            try folder.write(located(text, for: gateway), to: "command-\(index)")
            script += """
                builtin cd \(gateway.folder.path); admin=127.0.0.1:\(gateway.adminPort); pid=\(gateway.processID)
                ports=' \(gateway.port) \(gateway.adminPort) \(provider.port) \(echo.port) '
                source \(folder.path("command-\(index)")) >\(folder.path(output)) 2>&1

                """
        }
        try folder.write(script + "wait; echo done\n", to: "script")
        let log = Pipe()
        let shell = try SpawnedProcess(
            "/bin/bash", [folder.path("script")],
            environment: ["HOME": folder.path, "XDG_STATE_HOME": state.path, "LC_ALL": "C"], output: .pipe(log),
            errors: .pipe(log))
        let text = String(decoding: log.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        shell.wait()
        var run = Run()
        run.outputs = steps.commands.indices.map { folder.read("output-\($0)") }
        run.notRun = folder.read("not-run").split(separator: "\n").map(String.init)
        run.failures = folder.read("failures").split(separator: "\n").map(String.init)
        run.failures += (run.outputs + [text]).flatMap { output in
            output.matches(of: /script\/[\w-]+: No such file.*|.*syntax error.*|.*unbound variable/).map {
                String($0.output)
            }
        }
        if !text.hasSuffix("done\n") { run.failures.append("the shell ended early: \(text)") }
        return run
    }

    /// The comment before the blocks of the recipes' setup.
    private static let setup = "A test runs these lines for every recipe."

    /// The variables of the script, and the variables that pages use without an assignment.
    private func variables(in folder: ScratchFolder) throws -> String {
        let scripts = try FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appending(path: "script").path)
        return try """
        program=\(BuiltProgram.gatehouse.path); root=\(Repository.root.path); provider=http://127.0.0.1:\(provider.port)
        failures=\(folder.path("failures")); not_run=\(folder.path("not-run"))
        ADA=\(token(age: 3600)); ADA_JUST_NOW=\(token()); ID_TOKEN=$ADA_JUST_NOW; TOKEN=$ADA_JUST_NOW
        APP_CHECK_TOKEN=\(appToken("app-check")); LIMITED_USE_TOKEN=\(appToken("limited-use"))
        declare -rx GATEHOUSE_ADMIN_TOKEN=\(Self.adminToken)
        \(scripts.map { "function script/\($0) { script_line \($0) \"$@\"; }" }.joined(separator: "\n"))

        """
    }
}
