import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

/// `FIREBASE_AUTH_EMULATOR_HOST` and `GOOGLE_CLOUD_PROJECT`.
@Suite struct EmulatorVariableTests {
    private static let emulator = "FIREBASE_AUTH_EMULATOR_HOST"
    private static let project = "GOOGLE_CLOUD_PROJECT"

    private func load(_ firebase: String, _ environment: [String: String]) throws -> Configuration {
        try ConfigurationTesting.load(section: "identity: { firebase: { \(firebase) } }", environment: environment)
    }

    private func errors(_ section: String, _ environment: [String: String]) -> [String] {
        ConfigurationTesting.errors(in: section + "\n" + BrokenConfiguration.rest, environment: environment)
            .map(\.description)
    }

    @Test(arguments: ["127.0.0.1:9099", "localhost:9099", "firebase:9099", "[::1]:9099"])
    func `the variable enables the emulator mode of a demo project, with a warning`(host: String) throws {
        let configuration = try load("project: demo-app", [Self.emulator: host])
        #expect(configuration.identity.firebase?.insecureEmulator == true)
        #expect(configuration.identity.firebase?.emulatorHost == host)
        let warnings = configuration.warnings.map(\.description)
        #expect(warnings.count == 1 && warnings[0].contains("unsigned tokens") && warnings[0].contains(host))
    }

    @Test(arguments: ["my-app", "prod", "demo", "my-demo-app", "DEMO-app"])
    func `D-20: the variable alone never enables the emulator mode of a real project`(project: String) {
        for section in ["project: \(project)", "project: \(project), insecure_emulator_on: any"] {
            let errors = errors("identity: { firebase: { \(section) } }", [Self.emulator: "127.0.0.1:9099"])
            #expect(errors.count == 1 && errors[0].contains("'\(project)' is not a demo-* project"), "\(errors)")
        }
    }

    @Test func `D-20: the variable never enables the emulator mode beside one real project`() {
        for projects in ["{ project: demo-a }, { project: prod }", "{ project: prod }, { project: demo-a }"] {
            let errors = errors("identity: { firebase: { projects: [\(projects)] } }", [Self.emulator: "a:1"])
            #expect(errors.count == 1 && errors[0].contains("'prod' is not a demo-* project"), "\(errors)")
        }
    }

    @Test func `a real project needs insecure_emulator in the file`() throws {
        let firebase = try load("project: my-app, insecure_emulator: true", [Self.emulator: "a:1"]).identity.firebase
        #expect(firebase?.insecureEmulator == true && firebase?.emulatorHost == "a:1")
    }

    @Test(arguments: ["demo-app", "my-app"])
    func `insecure_emulator: false wins over the variable, with a warning`(project: String) throws {
        let configuration = try load("project: \(project), insecure_emulator: false", [Self.emulator: "a:1"])
        #expect(configuration.identity.firebase?.insecureEmulator == false)
        #expect(configuration.identity.firebase?.emulatorHost == nil)
        #expect(
            configuration.warnings.map(\.what) == ["\(Self.emulator) is ignored, because insecure_emulator is false"])
    }

    @Test(arguments: [
        ("http://127.0.0.1:9099", "which has a scheme; write HOST:PORT"), ("//127.0.0.1:9099", "which has a scheme"),
        ("127.0.0.1", "an address without a port"), ("9099", "a port without a host"), ("127.0.0.1:0", "port 0"),
        ("a:1/path", "an invalid port"), ("u:p@a:1", "a user or password"), ("a b:1", "an invalid host"),
        ("a:1?x", "an invalid port"), ("a:99999", "an invalid port"), ("::1:9099", "an IPv6 address without brackets"),
    ])
    func `another form of the address is an error`(value: String, expected: String) {
        let errors = errors("identity: { firebase: { project: demo-app } }", [Self.emulator: value])
        #expect(errors.count == 1 && errors[0].contains(Self.emulator) && errors[0].contains(expected), "\(errors)")
    }

    @Test func `an empty variable is ignored`() throws {
        let configuration = try load("project: my-app", [Self.emulator: "", Self.project: ""])
        #expect(configuration.identity.firebase?.insecureEmulator == false && configuration.warnings.isEmpty)
    }

    @Test func `D-20: a listener of other machines needs insecure_emulator_on`() throws {
        let variables = [Self.emulator: "firebase:9099"]
        let listen = "listen: [{ address: '0.0.0.0:8080' }]\n"
        let errors = errors(listen + "identity: { firebase: { project: demo-app } }", variables)
        #expect(errors.count == 1 && errors[0].contains("insecure_emulator_on: any"), "\(errors)")
        let configuration = try ConfigurationTesting.load(
            section: listen + "identity: { firebase: { project: demo-app, insecure_emulator_on: any } }",
            environment: variables)
        #expect(configuration.identity.firebase?.insecureEmulator == true)
        #expect(configuration.warnings.contains { $0.what.contains("from other machines") })
    }

    @Test func `D-20: the environment alone never enables the mode on a listener of other machines`() {
        let variables = [Self.emulator: "firebase:9099", Self.project: "demo-app"]
        let errors = errors(
            "listen: [{ address: '0.0.0.0:8080' }]\nidentity: { firebase: { insecure_emulator_on: any } }", variables)
        #expect(errors.count == 1 && errors[0].contains("any requires project in the file"), "\(errors)")
    }

    @Test func `the warning about an assumed demo project states how to protect a project of that name`() throws {
        let assumed = try load("project: demo-app", [Self.emulator: "a:1"]).warnings.map(\.remedy)
        #expect(assumed.count == 1 && assumed[0].hasSuffix("unset the variable if 'demo-app' is a project at Google"))
        let chosen = try load("project: my-app, insecure_emulator: true", [Self.emulator: "a:1"]).warnings
        #expect(chosen.map(\.remedy) == ["use it only for development with the Firebase emulator"])
    }

    @Test func `the project comes from the environment if the file names none`() throws {
        let variables = [Self.project: "demo-app"]
        #expect(try load("insecure_emulator_on: loopback", variables).identity.firebase?.project == "demo-app")
        #expect(try load("project: my-app", variables).identity.firebase?.project == "my-app")
        let errors = errors("identity: { firebase: { tenant: x } }", [Self.project: "a/b"])
        #expect(errors.count == 1 && errors[0].contains("GOOGLE_CLOUD_PROJECT is not a project id"), "\(errors)")
    }

    @Test func `another project in the environment is a warning beside the emulator`() throws {
        let variables = [Self.emulator: "a:1", Self.project: "demo-other"]
        let warnings = try load("project: demo-app", variables).warnings
        #expect(warnings.contains { $0.what.contains("'demo-other', but the project is 'demo-app'") })
        #expect(try load("project: demo-app", [Self.project: "demo-other"]).warnings.isEmpty)
    }

    @Test func `accounts are looked up at the emulator without a service account`() throws {
        let section = "identity: { firebase: { project: demo-app } }\nrevocation: { source: firebase }"
        let accounts = try ConfigurationTesting.load(section: section, environment: [Self.emulator: "firebase:9099"])
            .revocation.firebase
        #expect(accounts?.isEmulated == true && accounts?.serviceAccount == nil)
        #expect(
            accounts?.lookupURL
                == "http://firebase:9099/identitytoolkit.googleapis.com/v1/projects/{project}/accounts:lookup")
    }

    @Test(arguments: ["service_account: a.json", "lookup_url: 'http://localhost:9/{project}'"])
    func `keys of lookups at Google conflict with the emulator`(key: String) {
        let section = "identity: { firebase: { project: demo-app } }\nrevocation: { source: firebase, \(key) }"
        let errors = errors(section, [Self.emulator: "a:1"])
        #expect(errors.count == 1 && errors[0].contains("beside FIREBASE_AUTH_EMULATOR_HOST"), "\(errors)")
    }

    @Test func `the shortcut reads project and emulator from the environment`() throws {
        let configuration = try Configuration.shortcut(
            project: nil, upstream: "http://127.0.0.1:3000",
            environment: [Self.emulator: "127.0.0.1:9099", Self.project: "demo-app"])
        #expect(configuration.identity.firebase?.project == "demo-app")
        #expect(configuration.identity.firebase?.insecureEmulator == true)
        #expect(configuration.warnings.map(\.location.description) == [Self.emulator])
    }

    @Test(arguments: [
        ("my-app", nil, "127.0.0.1:9099", "FIREBASE_AUTH_EMULATOR_HOST: FIREBASE_AUTH_EMULATOR_HOST is set, but"),
        ("demo-app", nil, "http://a:1", "FIREBASE_AUTH_EMULATOR_HOST: FIREBASE_AUTH_EMULATOR_HOST is 'http://a:1'"),
        ("demo-app", "0.0.0.0:80", "a:1", "--listen: insecure_emulator requires that every listener"),
        ("a b", nil, "", "GOOGLE_CLOUD_PROJECT: not a project id"),
    ])
    func `the shortcut has the same safety`(project: String, listen: String?, host: String, expected: String) {
        let error = #expect(throws: ConfigurationErrors.self) {
            try Configuration.shortcut(
                project: nil, upstream: "http://127.0.0.1:3000", listen: listen,
                environment: [Self.emulator: host, Self.project: project])
        }
        #expect(error?.description.hasPrefix(expected) == true, "\(String(describing: error))")
    }
}
