import Foundation
import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import SystemFixtures

@Suite struct SubstitutionTests {
    static let environment = ["PROJECT": "demo-7", "N": "300", "EMPTY": "", "DOLLAR": "$", "NESTED": "${PROJECT}"]

    private func project(_ yaml: String) throws -> String? {
        try ConfigurationTesting.load(
            section: "identity: { firebase: { project: \(yaml) } }", environment: Self.environment
        ).identity.firebase?.project
    }

    @Test(arguments: [
        ("${PROJECT}", "demo-7"), ("a-${PROJECT}-${N}", "a-demo-7-300"), ("${MISSING:-other}", "other"),
        ("${EMPTY:-other}", "other"), ("${PROJECT:-other}", "demo-7"), ("${N}", "300"),
    ])
    func `environment variables are replaced`(yaml: String, expected: String) throws {
        #expect(try project("\"\(yaml)\"") == expected)
    }

    @Test func `a number may come from the environment`() throws {
        let configuration = try ConfigurationTesting.load(
            section: "workers: ${N}\nlimits: { connections: \"4${N}\" }",
            environment: Self.environment)
        #expect(configuration.workers == 300 && configuration.limits.connections == 4_300)
    }

    @Test(arguments: [
        // A substituted value is not substituted again, and hides no variable.
        ("a${NESTED}", "a${PROJECT}"), ("a${DOLLAR}${PROJECT}", "a$demo-7"), ("a$${PROJECT}$", "a${PROJECT}$"),
    ])
    func `a dollar sign is literal in a value or doubled`(yaml: String, path: String) throws {
        let store = try ConfigurationTesting.load(section: "store: sqlite:\(yaml)", environment: Self.environment).store
        #expect(store == .sqlite(path: path))
    }

    @Test(arguments: ["${EMPTY:-null}", "\"${MISSING:-null}\""])
    func `a default of null is an explicit null`(text: String) throws {
        let configuration = try ConfigurationTesting.load(
            section: "admin:\n  address: \(text)", environment: Self.environment)
        #expect(configuration.admin.address == nil)
    }

    @Test func `a variable with the value null is a text`() throws {
        let yaml = "headers: { assertion: { key: k, issuer: '${WORD:-null}' } }"
        let configuration = try ConfigurationTesting.load(section: yaml, environment: ["WORD": "null"])
        #expect(configuration.headers.assertion?.issuer == "null")
    }

    static let broken: [BrokenConfiguration] = [
        .section("store: sqlite:${MISSING}", "1:8 the environment variable MISSING is not set; set it, or write"),
        .section("workers: 1\nadmin:\n  token: ${MISSING}", "3:10 the environment variable MISSING is not set"),
        .section("identity:\n  firebase:\n    project: ${MISSING}", "3:14 the environment variable MISSING is not set"),
        .section("store: sqlite:${A", "1:8 '${' without '}'"),
        .section("store: sqlite:${}", "1:8 '' is not a variable name"),
        .section("admin: { token: ${A} }", "1:18 check the brackets, and quote ${...} within them"),
        .section("store: sqlite:${A-b}", "1:8 'A-b' is not a variable name"),
        .section("store: sqlite:${9A:-b}", "1:8 '9A' is not a variable name"),
        .section("store: sqlite:${A:-${B}}", "1:8 nested '${'"),
        .section("store: sqlite:${file:}", "1:8 ${file:} without a path"),
        .section("store: sqlite:${file:nowhere}", "1:8 the file 'nowhere' cannot be read (No such file or directory)"),
        .section(
            "admin: { token: \"${EMPTY}\" }", "1:17 the environment variable EMPTY is empty; set it, or write",
            environment: environment),
        .section("store: sqlite:a${EMPTY}", "1:8 the environment variable EMPTY is empty", environment: environment),
        .section("admin: { token: '${EMPTY:-}' }", "1:17 admin.token is empty after", environment: environment),
        .section("store: ${EMPTY:-null}", "1:8 store is null; write a value, or remove it", environment: environment),
        .section("workers: ${PROJECT}", "1:10 workers is '${PROJECT}', not a whole number", environment: environment),
        .section("store: sqlite:${credential:}", "1:8 '' is not the name of a credential; write ${credential:NAME}"),
        .section("store: sqlite:${credential:..}", "1:8 '..' is not the name of a credential"),
        .section("store: sqlite:${credential:a/b}", "1:8 'a/b' is not the name of a credential"),
        .section("store: sqlite:${credential:a:-b}", "1:8 'a:-b' is not the name of a credential"),
        .section("store: sqlite:${credential:ä}", "1:8 'ä' is not the name of a credential"),
        .section(
            "store: sqlite:${credential:\(String(repeating: "x", count: 256))}", "1:8 'xxx",
            environment: ["CREDENTIALS_DIRECTORY": "/"]),
        .section(
            "store: sqlite:${credential:a}",
            "1:8 the credential 'a' is not available, since CREDENTIALS_DIRECTORY is not set; start the command as"),
        .section(
            "store: sqlite:${credential:a}", "1:8 the credential 'a' is not available",
            environment: ["CREDENTIALS_DIRECTORY": "relative"]),
        .section(
            "store: sqlite:${credential:a}",
            "1:8 the credential 'a' cannot be read (No such file or directory); pass it to the service",
            environment: ["CREDENTIALS_DIRECTORY": "/nowhere"]),
        .section(
            "store: sqlite:${LONG}", "1:8 longer than 64 KiB after substitution",
            environment: ["LONG": String(repeating: "x", count: 65_537)]),
    ]

    @Test(arguments: broken)
    func `an invalid substitution is reported with line and column`(broken: BrokenConfiguration) { broken.check() }

    @Test func `no message contains a substituted value`() {
        let sections = [
            "workers: ${S}", "limits: { head_timeout: ${S} }", "headers: { prefix: ${S} }", "store: ${S}",
            "log: { level: ${S}, access: ${S} }", "identity: { firebase: { project: a, keys_url: ${S} } }",
            "listen: [{ address: ${S} }]", "headers: { extra: { X-A: ${S} }, variable: ${S} }",
            "identity: { credentials: { header: ${S}, cookie: ${S} } }", "admin: { address: ${S} }",
        ].map { $0.replacing("${S}", with: "\"${S}\"") }
        for section in sections {
            let errors = ConfigurationTesting.errors(
                in: section + "\n" + BrokenConfiguration.rest, environment: ["S": "hunter2 hunter2:x@hunter2"])
            #expect(!errors.isEmpty, "\(section)")
            #expect(!errors.description.contains("hunter2"), "\(section)")
        }
    }
}

@Suite struct FileSubstitutionTests {
    /// Loads a token from a file with these bytes, in the folder of the configuration file.
    private func token(of bytes: [UInt8]) throws -> Secret? {
        let folder = try ScratchFolder()
        try Data(bytes).write(to: folder.url.appending(path: "token"))
        try folder.write("admin: { token: \"${file:token}\" }\n\(BrokenConfiguration.rest)", to: "gatehouse.yaml")
        return try Configuration.load(file: folder.path("gatehouse.yaml"), environment: [:]).admin.token
    }

    @Test(arguments: ["a-secret-of-the-gateway", "a-secret-of-the-gateway\n", "a-secret-of-the-gateway\r\n"])
    func `a secret from a file loses its final newline`(content: String) throws {
        #expect(try token(of: Array(content.utf8)) == Secret("a-secret-of-the-gateway"))
    }

    @Test(arguments: [
        ([UInt8](repeating: 0x61, count: 65_537), "larger than 64 KiB"), ([0x61, 0xFF], "not valid UTF-8"),
    ])
    func `an oversized or invalid file is rejected`(bytes: [UInt8], problem: String) {
        let error = #expect(throws: ConfigurationErrors.self) { try token(of: bytes) }
        #expect(error?.errors.map(\.what) == ["the file 'token' is \(problem)"])
    }

    @Test func `a secret of several lines is rejected and not shown`() {
        let error = #expect(throws: ConfigurationErrors.self) { try token(of: Array("hunter2\nhunter2\n".utf8)) }
        #expect(error?.description.contains("hunter2") == false)
    }
}

@Suite struct CredentialTests {
    /// Loads a token from a credential with these bytes. The configuration file is in another folder.
    private func token(of bytes: [UInt8], named name: String = "admin-token") throws -> (Secret?, Set<String>) {
        let (credentials, folder, ledger) = (try ScratchFolder(), try ScratchFolder(), FileLedger())
        try Data(bytes).write(to: credentials.url.appending(path: name))
        try folder.write(
            "admin: { token: \"${credential:\(name)}\" }\n\(BrokenConfiguration.rest)", to: "gatehouse.yaml")
        let token = try ledger.record {
            try Configuration.load(
                file: folder.path("gatehouse.yaml"), environment: ["CREDENTIALS_DIRECTORY": credentials.path]
            ).admin.token
        }
        let files = ledger.files.map { $0.replacing(credentials.path, with: "").replacing(folder.path, with: "") }
        return (token, Set(files))
    }

    @Test(arguments: ["a-secret-of-the-gateway", "a-secret-of-the-gateway\n"])
    func `a credential loses its final newline, and is one of the watched files`(content: String) throws {
        let (token, files) = try token(of: Array(content.utf8))
        #expect(token == Secret("a-secret-of-the-gateway"))
        #expect(files == ["/admin-token", "/gatehouse.yaml"])
    }

    @Test(arguments: ["a", ".a", "a.b-c_d", "a b", "...", String(repeating: "x", count: 255)])
    func `any name of a file is accepted`(name: String) throws {
        #expect(try token(of: Array("a-secret-of-the-gateway".utf8), named: name).0 != nil)
    }

    @Test(arguments: [
        ([UInt8](repeating: 0x61, count: 65_537), "larger than 64 KiB"), ([0x61, 0xFF], "not valid UTF-8"),
        ([], "empty"), ([0x0A], "empty"),
    ])
    func `an oversized, invalid or empty credential is rejected`(bytes: [UInt8], problem: String) {
        let error = #expect(throws: ConfigurationErrors.self) { try token(of: bytes) }
        #expect(error?.errors.map(\.what) == ["the credential 'admin-token' is \(problem)"])
    }
}
