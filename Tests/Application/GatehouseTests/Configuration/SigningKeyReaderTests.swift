import Authentication
import Forwarding
import Foundation
import GatewayConfiguration
import GatewayCore
import JOSE
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

@Suite struct SigningKeyReaderTests {
    private func withFiles<Result>(
        _ files: [String: [UInt8]], mode: Int = 0o600, _ body: (SigningKeyFiles) throws -> Result
    ) throws -> Result {
        let folder = try ScratchFolder()
        for (name, content) in files {
            _ = FileManager.default.createFile(
                atPath: folder.path(name), contents: Data(content), attributes: [.posixPermissions: mode])
        }
        return try body(
            SigningKeyFiles(
                current: folder.path("key.pem"),
                previous: files.keys.filter { $0 != "key.pem" }.sorted().map { folder.path($0) },
                location: SourceLocation(file: "gatehouse.yaml", line: 3, column: 5)))
    }

    private func errors(_ files: [String: [UInt8]]) throws -> [String] {
        try withFiles(files) { files in
            var reader = SigningKeyReader()
            _ = reader.read(files)
            return reader.errors.map(\.description)
        }
    }

    private static func pem(_ algorithm: Algorithm) throws -> [UInt8] {
        try SigningKey.generate(algorithm, keyID: "").pem()
    }

    @Test func `current and previous keys are read`() throws {
        let files = ["key.pem": try Self.pem(.es256), "a.pem": try Self.pem(.es256)]
        try withFiles(files) { files in
            var reader = SigningKeyReader()
            let keys = reader.read(files)
            #expect(keys?.current.keyID != keys?.previous.first?.keyID && keys?.previous.count == 1)
            #expect(reader.warnings.isEmpty)
            #expect(reader.errors.isEmpty)
        }
    }

    @Test func `without files nothing is read`() throws {
        var reader = SigningKeyReader()
        let keys = reader.read(nil)
        #expect(keys == nil)
        #expect(reader.errors.isEmpty)
    }

    @Test func `a missing file is reported with its location and remedy`() throws {
        let errors = try errors([:])
        #expect(errors.count == 1 && errors[0].hasPrefix("gatehouse.yaml:3:5: the key file '"))
        #expect(
            errors[0].hasSuffix(
                "cannot be read (No such file or directory); paths are relative to the folder of the configuration file"
            ))
    }

    static let unfit: [(content: [UInt8], why: String)] = [
        ([], "no unencrypted private key in PEM form was found"), (Array("hunter2".utf8), "no unencrypted private key"),
        ((try? pem(.es384)) ?? [], "the key is not on the curve P-256; make one with: openssl genpkey -algorithm EC"),
        ((try? pem(.rs256)) ?? [], "the key is not of the type EC"), ((try? pem(.edDSA)) ?? [], "not of the type EC"),
        ([UInt8](repeating: 65, count: 65_537), "is larger than 64 KiB"),
    ]

    @Test(arguments: unfit) func `a file without such a key is reported`(_ content: [UInt8], _ why: String) throws {
        let errors = try errors(["key.pem": content])
        #expect(errors.count == 1 && errors[0].contains(why), "\(errors)")
        #expect(!errors.joined().contains("hunter"))
    }

    @Test func `every invalid file is reported`() throws {
        #expect(try errors(["a.pem": [], "b.pem": try Self.pem(.es256), "c.pem": []]).count == 3)
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o666]) func `a file that others may read has a warning`(_ mode: Int) throws
    {
        try withFiles(["key.pem": try Self.pem(.es256)], mode: mode) { files in
            var reader = SigningKeyReader()
            _ = reader.read(files)
            #expect(reader.warnings.map(\.location.line) == [3])
            #expect(reader.warnings.first?.what.hasSuffix("is accessible to users other than its owner") == true)
        }
    }

    @Test func `a repeated key has a warning`() throws {
        let pem = try Self.pem(.es256)
        try withFiles(["key.pem": pem, "a.pem": pem]) { files in
            var reader = SigningKeyReader()
            let read = reader.read(files)
            let keys = try #require(read)
            let published = JWKSet.text(of: AssertionKeys(current: keys.current, previous: keys.previous).published)
            #expect(try KeySet(jwkSet: published).keys.count == 1)
            #expect(reader.warnings.first?.what.hasSuffix("contains the current signing key") == true)
        }
    }

    @Test func `a snapshot reports errors and the signing key`() throws {
        var configuration = try ConfigurationTesting.load(section: "")
        configuration.headers.assertion = Configuration.Assertion(key: "/nonexistent")
        #expect(throws: ConfigurationErrors.self) { try Snapshot(configuration) }
        let pem = try Self.pem(.es256)
        try withFiles(["key.pem": pem], mode: 0o644) { files in
            configuration.headers.assertion = Configuration.Assertion(key: files.current)
            let snapshot = try Snapshot(configuration)
            #expect(snapshot.assertionKeyID == (try SigningKey(pem: pem, algorithm: .es256)).keyID)
            #expect(snapshot.warnings.count == 1 && snapshot.sessionKeyFiles == nil)
        }
    }

    @Test func `a snapshot holds the keys of session cookies`() throws {
        var configuration = try ConfigurationTesting.load(section: "")
        let (new, old) = (try Self.pem(.es256), try Self.pem(.es256))
        try withFiles(["key.pem": new, "old.pem": old]) { files in
            configuration.accounts = Self.accounts(files)
            let keys = try #require(try Snapshot(configuration).sessionKeyFiles)
            let ids = try [new, old].map { try SigningKey(pem: $0, algorithm: .es256).keyID }
            #expect([keys.current.keyID] + keys.previous.map(\.keyID) == ids)
        }
    }

    @Test func `errors of both purposes are reported together`() throws {
        var configuration = try ConfigurationTesting.load(section: "")
        try withFiles([:]) { files in
            configuration.headers.assertion = Configuration.Assertion(key: files.current)
            configuration.accounts = Self.accounts(files)
            let error = #expect(throws: ConfigurationErrors.self) { try Snapshot(configuration) }
            #expect(error?.errors.map(\.location.description) == ["gatehouse.yaml:3:5", "headers.assertion"])
        }
    }

    @Test func `the key of assertions cannot sign session cookies`() throws {
        var configuration = try ConfigurationTesting.load(section: "")
        let pem = try Self.pem(.es256)
        try withFiles(["key.pem": pem, "copy.pem": pem]) { files in
            configuration.headers.assertion = Configuration.Assertion(key: files.previous[0])
            configuration.accounts = Self.accounts(files)
            configuration.accounts?.previousSessionKeys = []
            let error = #expect(throws: ConfigurationErrors.self) { try Snapshot(configuration) }
            #expect(
                error?.errors.map(\.description) == [
                    "gatehouse.yaml:3:5: accounts.session_key contains the key that signs assertions; create a separate key"
                ])
        }
    }

    private static func accounts(_ files: SigningKeyFiles) -> Configuration.Accounts {
        var accounts = Configuration.Accounts()
        accounts.sessionKey = files.current
        accounts.previousSessionKeys = files.previous
        accounts.location = files.location
        return accounts
    }
}
