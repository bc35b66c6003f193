package import GatewayCore

extension Configuration {
    /// Listens at `HOST:PORT` alone, in place of what the file says, under the same checks.
    ///
    /// - Parameters:
    ///   - address: the text of the option.
    ///   - origin: what messages call it.
    /// - Throws: what is wrong with the address, or with this configuration at that address.
    package mutating func overrideListen(_ address: String, origin: String = "--listen") throws(ConfigurationErrors) {
        let parsed = try Self.parse(address, origin)
        let problems = problems(withListenerAt: parsed)
        guard problems.isEmpty else {
            throw ConfigurationErrors(problems.map { Self.error(origin, $0.what, $0.remedy) })
        }
        // What a listener speaks stays: a certificate must not be lost on the way to another port.
        var listener = listen.first ?? Listener(address: parsed)
        listener.address = parsed
        listen = [listener]
    }

    /// Has the admin listener at `HOST:PORT`, or none for `off`, in place of what the file says.
    ///
    /// - Throws: what is wrong with the address, or with this configuration at that address.
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

    /// What speaks against a listener at that address, in view of everything else.
    func problems(withListenerAt address: ListenAddress) -> [(what: String, remedy: String)] {
        var problems: [(what: String, remedy: String)] = []
        if identity.firebase?.insecureEmulator == true && !address.isLoopback {
            problems.append(
                (
                    "insecure_emulator with a listener that other machines reach",
                    "listen on 127.0.0.1, or remove insecure_emulator"
                ))
        }
        if let admin = admin.address, admin.overlaps(address) {
            problems.append(
                ("the admin listener has the same address", "give admin.address (\(admin)) another port"))
        }
        return problems
    }

    private static func error(_ origin: String, _ what: String, _ remedy: String) -> ConfigurationError {
        ConfigurationError(location: SourceLocation(origin: origin), what: what, remedy: remedy)
    }

    /// The configuration of `gatehouse serve` without a file: every path needs a valid token of that project and goes
    /// to that upstream.
    ///
    /// - Parameters:
    ///   - project: the Firebase project's id (`--firebase-project`).
    ///   - upstream: `http://HOST:PORT` (`--upstream`).
    ///   - listen: `HOST:PORT` (`--listen`); 127.0.0.1:8080 unless given.
    ///   - environment: may override the key URLs.
    /// - Throws: everything that is wrong with the options, each with its name.
    package static func shortcut(
        project: String, upstream: String, listen: String? = nil,
        environment: [String: String] = processEnvironment
    ) throws(ConfigurationErrors) -> Configuration {
        var options = ShortcutOptions()
        var configuration = Configuration()
        configuration.identity.firebase = options.firebase(project, environment)
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

/// Checks the options of the command line, with the option in place of file and line.
private struct ShortcutOptions {
    var errors: [ConfigurationError] = []

    mutating func fail(_ origin: String, _ what: String, _ remedy: String) {
        errors.append(ConfigurationError(location: SourceLocation(origin: origin), what: what, remedy: remedy))
    }

    mutating func firebase(_ project: String, _ environment: [String: String]) -> Configuration.Firebase {
        if !Configuration.Firebase.isProject(project) {
            fail("--firebase-project", "not a project's id", "write the id that the Firebase console shows")
        }
        var firebase = Configuration.Firebase(project: project)
        for (variable, failure) in firebase.override(from: environment) {
            fail(variable, failure.what, failure.remedy)
        }
        return firebase
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
