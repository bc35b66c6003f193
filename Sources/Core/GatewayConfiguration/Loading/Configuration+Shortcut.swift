package import GatewayCore

extension Configuration {
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
