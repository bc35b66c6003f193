import GatewayCore

extension Configuration.Firebase {
    /// The variable with the address of the Auth emulator, as the Firebase tools and the Admin SDKs define it.
    package static let emulatorVariable = "FIREBASE_AUTH_EMULATOR_HOST"
    /// The variable with the project id, for a configuration that names no project.
    package static let projectVariable = "GOOGLE_CLOUD_PROJECT"
    /// The prefix of project ids that the Firebase tools use with emulators only. It is a convention of these tools:
    /// the gateway cannot check that no project at Google has such an id.
    static let demoPrefix = "demo-"

    /// A finding about the variables.
    struct EmulatorFinding {
        let isError: Bool
        let what: String
        let remedy: String
    }

    /// The first project that may exist outside emulators. `nil` if the Firebase tools regard all as emulated ones.
    private var realProject: String? { projects.map(\.id).first { !$0.hasPrefix(Self.demoPrefix) } }

    /// Returns the project id in the environment. `nil` if absent.
    package static func project(in environment: [String: String]) -> String? {
        guard let text = environment[projectVariable], !text.isEmpty else { return nil }
        return text
    }

    /// Enables the emulator mode if the environment names an emulator and the configuration permits it.
    ///
    /// Without `insecure_emulator: true`, only a `demo-*` project is permitted. A gateway of another project does not
    /// accept unsigned tokens because of the variable.
    ///
    /// - Parameter explicit: The value of `insecure_emulator`. `nil` if the configuration has none.
    mutating func adoptEmulator(from environment: [String: String], explicit: Bool?) -> EmulatorFinding? {
        let name = Self.emulatorVariable
        guard let text = environment[name], !text.isEmpty else { return nil }
        guard explicit != false else {
            return EmulatorFinding(
                isError: false, what: "\(name) is ignored, because insecure_emulator is false",
                remedy: "unset the variable, or remove insecure_emulator")
        }
        if let failure = Self.failure(ofEmulator: text) { return failure }
        if let real = realProject, explicit != true {
            return EmulatorFinding(
                isError: true,
                what: "\(name) is set, but \(Quoted(real)) is not a demo-* project: anyone can create its tokens",
                remedy: "unset the variable; for development with a real project id, add insecure_emulator: true")
        }
        (insecureEmulator, emulatorHost) = (true, text)
        return projectConflict(in: environment)
    }

    /// The warning about the emulator mode. `nil` without it.
    var emulatorWarning: EmulatorFinding? {
        guard insecureEmulator else { return nil }
        let origin = emulatorHost.map { ": \(Self.emulatorVariable) is \(Quoted($0))" } ?? ""
        let isAssumed = emulatorHost != nil && realProject == nil
        return EmulatorFinding(
            isError: false, what: "unsigned tokens are accepted, which anyone can create\(origin)",
            remedy: "use it only for development with the Firebase emulator"
                + (isAssumed ? "; unset the variable if \(Quoted(project)) is a project at Google" : ""))
    }

    /// Returns the warning that the tools and the gateway name different projects.
    private func projectConflict(in environment: [String: String]) -> EmulatorFinding? {
        guard let other = Self.project(in: environment), self.project(named: other) == nil else { return nil }
        return EmulatorFinding(
            isError: false, what: "\(Self.projectVariable) is \(Quoted(other)), but the project is \(Quoted(project))",
            remedy: "use one project id for the emulator, the app and the gateway")
    }

    private static func failure(ofEmulator text: String) -> EmulatorFinding? {
        let remedy = "write HOST:PORT, as in 127.0.0.1:9099"
        guard !text.contains("//") else {
            return EmulatorFinding(
                isError: true, what: "\(emulatorVariable) is \(Quoted(text)), which has a scheme", remedy: remedy)
        }
        do throws(HTTPURL.Failure) {
            guard try HostAndPort(parsing: text).port != 0 else {
                throw HTTPURL.Failure(what: "an address with port 0", remedy: remedy)
            }
            return nil
        } catch {
            return EmulatorFinding(
                isError: true, what: "\(emulatorVariable) is \(Quoted(text)): \(error.what)", remedy: remedy)
        }
    }
}
