import ArgumentParser
import GatewayConfiguration
import GatewayCore

/// The source of a command's configuration: a file, or options in its place.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("The configuration file. \(ConfigurationFile.help)", valueName: "file"))
    var config: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Without a file: the Firebase project whose tokens are accepted. Default: GOOGLE_CLOUD_PROJECT.",
            valueName: "id"))
    var firebaseProject: String?

    @Option(name: .long, help: ArgumentHelp("Without a file: the upstream, http://HOST:PORT.", valueName: "url"))
    var upstream: String?

    @OptionGroup var listeners: ListenerOptions

    @OptionGroup var keys: KeyURLOptions

    func validate() throws {
        if config != nil, firebaseProject != nil || upstream != nil {
            throw ValidationError(
                "--config and --firebase-project/--upstream exclude each other; give a file or options")
        }
        if firebaseProject != nil && upstream == nil || upstream != nil && !hasProject {
            throw ValidationError("--firebase-project and --upstream go together; give both, or a file by --config")
        }
    }

    /// Sets the configuration file from a command's argument, if there is one.
    mutating func use(_ file: String?) throws {
        guard let file else { return }
        guard config == nil, !hasNoFile else {
            throw ValidationError("a file excludes --config and --firebase-project/--upstream; give one of them")
        }
        config = file
    }

    /// The configuration file for errors. `nil` if options replace it.
    var file: String? {
        hasNoFile ? nil : ConfigurationFile.path(config)
    }

    /// Whether options replace the file.
    private var hasNoFile: Bool { upstream != nil }

    /// Whether an option or the environment names the project.
    private var hasProject: Bool {
        firebaseProject != nil || Configuration.Firebase.project(in: keys.environment) != nil
    }

    /// The same options with the path of the file, whatever default files appear later.
    var resolved: ConfigurationOptions {
        var options = self
        options.config = file
        return options
    }

    /// Loads and checks the configuration. Throws all errors, one per line.
    func load() throws(Refused) -> Configuration {
        do throws(ConfigurationErrors) {
            var configuration = try base()
            try listeners.apply(to: &configuration)
            return configuration
        } catch {
            throw Refused(error)
        }
    }

    private func base() throws(ConfigurationErrors) -> Configuration {
        guard let upstream else {
            return try Configuration.load(file: ConfigurationFile.path(config), environment: keys.environment)
        }
        return try Configuration.shortcut(
            project: firebaseProject, upstream: upstream, environment: keys.environment)
    }
}

/// The configuration file of all commands.
enum ConfigurationFile {
    /// The end of the help text of an option that names the file.
    static let help = "Default: \(Configuration.defaultFiles.joined(separator: ", or "))."

    /// Returns the path of the file: the named one, or the default one that exists.
    static func path(_ named: String?) -> String {
        named ?? Configuration.defaultFile() ?? Configuration.checkoutFile
    }
}
