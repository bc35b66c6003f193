package import GatewayCore

extension Configuration {
    /// Replaces the listeners of the file by one at `HOST:PORT`, with the same checks.
    ///
    /// - Parameters:
    ///   - address: The value of the option.
    ///   - origin: The name of the option in messages.
    /// - Throws: The errors of the address, or of this configuration with that address.
    package mutating func overrideListen(_ address: String, origin: String = "--listen") throws(ConfigurationErrors) {
        let parsed = try Self.parse(address, origin)
        let problems = problems(withListenerAt: parsed)
        guard problems.isEmpty else {
            throw ConfigurationErrors(problems.map { Self.error(origin, $0.what, $0.remedy) })
        }
        // The listener's other settings stay, so that a certificate is not lost with the change of address.
        var listener = listen.first ?? Listener(address: parsed)
        listener.address = parsed
        listen = [listener]
    }

    /// Replaces the admin listener of the file by one at `HOST:PORT`, or disables it for `off`.
    ///
    /// - Throws: The errors of the address, or of this configuration with that address.
    package mutating func overrideAdmin(_ address: String, origin: String = "--admin") throws(ConfigurationErrors) {
        guard address != "off" else { return admin.address = nil }
        let parsed = try Self.parse(address, origin)
        guard parsed.path == nil else {
            throw ConfigurationErrors([Self.error(origin, "a unix: address", "write HOST:PORT")])
        }
        guard !listen.contains(where: { parsed.overlaps($0.address) }) else {
            throw ConfigurationErrors([Self.error(origin, "a listener has the same address", "use another port")])
        }
        admin.address = parsed
    }

    private static func parse(_ address: String, _ origin: String) throws(ConfigurationErrors) -> ListenAddress {
        do {
            return try ListenAddress(parsing: address)
        } catch {
            throw ConfigurationErrors([Self.error(origin, error.what, error.remedy)])
        }
    }

    /// Returns the conflicts of a listener at that address with the rest of the configuration.
    func problems(withListenerAt address: ListenAddress) -> [(what: String, remedy: String)] {
        var problems: [(what: String, remedy: String)] = []
        if let firebase = identity.firebase, firebase.insecureEmulator, firebase.insecureEmulatorOn == .loopback,
            !address.isLoopback
        {
            let cause = firebase.emulatorHost == nil ? "remove insecure_emulator" : "unset \(Firebase.emulatorVariable)"
            problems.append(
                (
                    "insecure_emulator requires that every listener is on a loopback address",
                    "listen on 127.0.0.1, \(cause), or add insecure_emulator_on: any to the file"
                ))
        }
        if let admin = admin.address, admin.overlaps(address) {
            problems.append(
                ("the admin listener has the same address", "give admin.address (\(admin)) another port"))
        }
        return problems
    }

    /// Returns the conflicts of a listener for decisions at that address with the rest of the configuration.
    func problems(withDecisionsAt address: ListenAddress) -> [(what: String, remedy: String)] {
        var problems = problems(withListenerAt: address)
        if listen.contains(where: { $0.address.overlaps(address) }) {
            problems.append(
                ("another listener has the same address", "give decisions.address (\(address)) another port"))
        }
        return problems
    }

    private static func error(_ origin: String, _ what: String, _ remedy: String) -> ConfigurationError {
        ConfigurationError(location: SourceLocation(origin: origin), what: what, remedy: remedy)
    }

    /// Returns the configuration of `gatehouse serve` without a file: all paths require a valid token of the project
    /// and are forwarded to the upstream.
    ///
    /// - Parameters:
    ///   - project: The Firebase project's id (`--firebase-project`). `nil` for the environment's.
    ///   - upstream: `http://HOST:PORT` (`--upstream`).
    ///   - listen: `HOST:PORT` (`--listen`). The default is 127.0.0.1:8080.
    ///   - environment: The environment, which can override the key URLs, and name a project and its emulator.
    /// - Throws: All errors of the options, with their names.
    package static func shortcut(
        project: String?, upstream: String, listen: String? = nil,
        environment: [String: String] = processEnvironment
    ) throws(ConfigurationErrors) -> Configuration {
        var options = ShortcutOptions()
        var configuration = Configuration()
        configuration.identity.firebase = options.firebase(project, environment)
        configuration.warnings = options.warnings
        if let server = options.server(upstream) {
            configuration.upstreams = [Upstream(name: "upstream", servers: [server])]
        }
        configuration.routes = [
            Route(path: "/{path=**}", upstream: "upstream", location: SourceLocation(origin: "--upstream"))
        ]
        if let listen { options.listen(listen, in: &configuration) }
        guard options.errors.isEmpty else { throw ConfigurationErrors(options.errors) }
        return configuration
    }
}

/// A validator of command-line options. Errors name the option in place of a file and line.
private struct ShortcutOptions {
    var errors: [ConfigurationError] = []
    var warnings: [ConfigurationWarning] = []

    mutating func fail(_ origin: String, _ what: String, _ remedy: String) {
        errors.append(ConfigurationError(location: SourceLocation(origin: origin), what: what, remedy: remedy))
    }

    mutating func firebase(_ option: String?, _ environment: [String: String]) -> Configuration.Firebase {
        let origin = option == nil ? Configuration.Firebase.projectVariable : "--firebase-project"
        let project = option ?? Configuration.Firebase.project(in: environment) ?? ""
        if !Configuration.Firebase.isProject(project) {
            fail(origin, "not a project id", "write the project id from the Firebase console")
        }
        var firebase = Configuration.Firebase(project: project)
        if let finding = firebase.adoptEmulator(from: environment, explicit: nil) { report(finding) }
        if let warning = firebase.emulatorWarning { report(warning) }
        for (variable, failure) in firebase.override(from: environment) {
            fail(variable, failure.what, failure.remedy)
        }
        return firebase
    }

    private mutating func report(_ finding: Configuration.Firebase.EmulatorFinding) {
        let origin = Configuration.Firebase.emulatorVariable
        guard !finding.isError else { return fail(origin, finding.what, finding.remedy) }
        warnings.append(
            ConfigurationWarning(
                location: SourceLocation(origin: origin), what: finding.what, remedy: finding.remedy))
    }

    mutating func server(_ text: String) -> Configuration.UpstreamServer? {
        do {
            return try Configuration.UpstreamServer(parsing: text)
        } catch {
            fail("--upstream", error.what, error.remedy)
            return nil
        }
    }

    mutating func listen(_ address: String, in configuration: inout Configuration) {
        do {
            try configuration.overrideListen(address)
        } catch {
            errors += error.errors
        }
    }
}
