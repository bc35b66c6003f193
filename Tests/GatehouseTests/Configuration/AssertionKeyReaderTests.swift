import Foundation
import JOSE
import Testing

@testable import Gatehouse

@Suite struct AssertionKeyReaderTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-\(UUID().uuidString)")

    private func withFiles<Result>(
        _ files: [String: [UInt8]], mode: Int = 0o600, _ body: (Configuration.Assertion) throws -> Result
    ) throws -> Result {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, content) in files {
            let file = folder.appending(path: name).path
            _ = FileManager.default.createFile(
                atPath: file, contents: Data(content), attributes: [.posixPermissions: mode])
        }
        var assertion = Configuration.Assertion(key: folder.appending(path: "key.pem").path)
        assertion.previousKeys = files.keys.filter { $0 != "key.pem" }.sorted().map { folder.appending(path: $0).path }
        assertion.location = SourceLocation(file: "gatehouse.yaml", line: 3, column: 5)
        return try body(assertion)
    }

    private func errors(_ files: [String: [UInt8]]) throws -> [String] {
        try withFiles(files) { assertion in
            var reader = AssertionKeyReader(assertion)
            do throws(ConfigurationErrors) {
                _ = try reader.read()
                return []
            } catch {
                return error.errors.map(\.description)
            }
        }
    }

    private static func pem(_ algorithm: Algorithm) throws -> [UInt8] {
        try SigningKey.generate(algorithm, keyID: "").pem()
    }

    @Test func currentAndPreviousKeysAreRead() throws {
        let files = ["key.pem": try Self.pem(.es256), "a.pem": try Self.pem(.es256)]
        try withFiles(files) { assertion in
            var reader = AssertionKeyReader(assertion)
            let keys = try #require(try reader.read())
            #expect(try KeySet(jwkSet: keys.jwkSet).keys.count == 2)
            #expect(reader.warnings.isEmpty)
        }
    }

    @Test func withoutAnAssertionNothingIsRead() throws {
        var reader = AssertionKeyReader(nil)
        #expect(try reader.read() == nil)
    }

    @Test func aMissingFileIsToldWithItsPlaceAndWhatToDo() throws {
        let errors = try errors([:])
        #expect(errors.count == 1 && errors[0].hasPrefix("gatehouse.yaml:3:5: the key file '"))
        #expect(errors[0].hasSuffix("cannot be read (No such file or directory); paths start at the working directory"))
    }

    static let unfit: [(content: [UInt8], why: String)] = [
        ([], "no unencrypted private key in PEM form was found"), (Array("hunter2".utf8), "no unencrypted private key"),
        ((try? pem(.es384)) ?? [], "the key is not on the curve P-256; make one with: openssl genpkey -algorithm EC"),
        ((try? pem(.rs256)) ?? [], "the key is not of the type EC"), ((try? pem(.edDSA)) ?? [], "not of the type EC"),
        ([UInt8](repeating: 65, count: 65_537), "is larger than 64 KiB"),
    ]

    @Test(arguments: unfit) func aFileWithoutSuchAKeyIsTold(_ content: [UInt8], _ why: String) throws {
        let errors = try errors(["key.pem": content])
        #expect(errors.count == 1 && errors[0].contains(why), "\(errors)")
        #expect(!errors.joined().contains("hunter"))
    }

    @Test func everyFileIsTold() throws {
        #expect(try errors(["a.pem": [], "b.pem": try Self.pem(.es256), "c.pem": []]).count == 3)
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o666]) func aFileThatOthersMayReadIsWarnedAbout(_ mode: Int) throws {
        try withFiles(["key.pem": try Self.pem(.es256)], mode: mode) { assertion in
            var reader = AssertionKeyReader(assertion)
            _ = try reader.read()
            #expect(reader.warnings.map(\.location.line) == [3])
            #expect(reader.warnings.first?.what.hasSuffix("is open to others than its owner") == true)
        }
    }

    @Test func theSameKeyTwiceIsWarnedAbout() throws {
        let pem = try Self.pem(.es256)
        try withFiles(["key.pem": pem, "a.pem": pem]) { assertion in
            var reader = AssertionKeyReader(assertion)
            let keys = try #require(try reader.read())
            #expect(try KeySet(jwkSet: keys.jwkSet).keys.count == 1)
            #expect(reader.warnings.first?.what.hasSuffix("holds the key that signs") == true)
        }
    }

    @Test func theSnapshotTellsWhatIsWrongAndWhichKeySigns() throws {
        var configuration = try ConfigurationTesting.load(section: "")
        configuration.headers.assertion = Configuration.Assertion(key: "/nonexistent")
        #expect(throws: ConfigurationErrors.self) { try Snapshot(configuration) }
        let pem = try Self.pem(.es256)
        try withFiles(["key.pem": pem], mode: 0o644) { assertion in
            configuration.headers.assertion = assertion
            let snapshot = try Snapshot(configuration)
            #expect(snapshot.assertionKeyID == (try SigningKey(pem: pem, algorithm: .es256)).keyID)
            #expect(snapshot.warnings.count == 1)
        }
    }
}
