import ArgumentParser
import Gatehouse

/// Where a command's configuration comes from: a file, or the options that stand in for one.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .long, help: "The configuration file. Default: config/gatehouse.yaml.")
    var config: String?

    @Option(name: .long, help: "Without a file: the Firebase project whose tokens count.")
    var firebaseProject: String?

    @Option(name: .long, help: "Without a file: where requests go, http://HOST:PORT.")
    var upstream: String?

    @Option(name: .long, help: "HOST:PORT to listen on, in place of the configuration's.")
    var listen: String?

    @Option(name: .long, help: "Where the keys of ID tokens come from, in place of Google's.")
    var keysURL: String?

    @Option(name: .long, help: "Where the keys of session cookies come from, in place of Google's.")
    var sessionKeysURL: String?

    func validate() throws {
        if config != nil, firebaseProject != nil || upstream != nil {
            throw ValidationError("--config and --firebase-project/--upstream exclude each other; give a file or options")
        }
        if (firebaseProject == nil) != (upstream == nil) {
            throw ValidationError("--firebase-project and --upstream go together; give both, or a file by --config")
        }
    }

    private func parsedListen() throws(ConfigurationErrors) -> ListenAddress? {
        guard let listen else { return nil }
        do {
            return try ListenAddress(parsing: listen)
        } catch {
            throw ConfigurationErrors([
                ConfigurationError(location: SourceLocation(origin: "--listen"), what: error.what, remedy: error.remedy)
            ])
        }
    }

    /// The checked configuration.
    ///
    /// - Throws: `Refused` with every error, a line each.
    func load() throws -> Configuration {
        var environment = Configuration.processEnvironment
        if let keysURL { environment["GATEHOUSE_FIREBASE_KEYS_URL"] = keysURL }
        if let sessionKeysURL { environment["GATEHOUSE_FIREBASE_SESSION_KEYS_URL"] = sessionKeysURL }
        do throws(ConfigurationErrors) {
            if let firebaseProject, let upstream {
                return try Configuration.shortcut(
                    project: firebaseProject, upstream: upstream, listen: listen, environment: environment)
            }
            var configuration = try Configuration.load(
                file: config ?? Configuration.defaultFile, environment: environment)
            if let address = try parsedListen() { configuration.listen = [.init(address: address)] }
            return configuration
        } catch {
            throw Refused(error)
        }
    }
}

/// A command that could not do what it was asked, with exit code 1.
struct Refused: Error, CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        description = "\(error)"
    }
}
