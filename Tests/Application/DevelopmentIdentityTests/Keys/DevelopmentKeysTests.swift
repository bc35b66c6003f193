import DevelopmentIdentity
import Foundation
import JOSE
import Testing

@testable import SystemFixtures

@Suite struct DevelopmentKeysTests {
    private let folder: ScratchFolder
    private let directory: String

    init() throws {
        folder = try ScratchFolder()
        directory = folder.path("keys")
    }

    private func ids(_ keys: DevelopmentKeys) -> [String] {
        DevelopmentKeys.Use.allCases.flatMap { keys[$0].map(\.keyID) }
    }

    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func `the last key added signs`() throws {
        var keys = DevelopmentKeys()
        for id in ["a", "b"] { keys.add(try .generate(.es256, keyID: id), for: .idToken) }
        #expect(keys.current(for: .idToken)?.keyID == "b")
        keys.remove(keyID: "b", for: .idToken)
        #expect(keys.current(for: .idToken)?.keyID == "a")
        #expect(keys.current(for: .sessionCookie) == nil)
    }

    @Test func `a key of the same id replaces the old`() throws {
        var keys = DevelopmentKeys()
        for _ in 0..<2 { keys.add(try .generate(.es256, keyID: "a"), for: .idToken) }
        #expect(keys[.idToken].count == 1)
    }

    @Test func `the shared keys are generated once`() throws {
        #expect(try ids(.shared()) == ids(.shared()))
    }

    @Test func `a directory gets keys once and keeps them`() throws {
        let made = try DevelopmentKeys.load(orCreateIn: directory)
        let read = try DevelopmentKeys.load(orCreateIn: directory)
        #expect(ids(made) == ids(read))
        #expect(made[.idToken].map(\.jwk) == read[.idToken].map(\.jwk))
    }

    @Test func `only the owner may read the file`() throws {
        _ = try DevelopmentKeys.load(orCreateIn: directory)
        #expect(try mode("\(directory)/\(DevelopmentKeys.fileName)") == 0o600)
        #expect(try mode(directory) == 0o700)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [DevelopmentKeys.fileName])
    }

    @Test func `several keys of several algorithms are kept`() throws {
        var keys = try DevelopmentKeys.shared()
        keys.add(try .generate(.es256, keyID: "second"), for: .idToken)
        try keys.save(in: directory)
        try keys.save(in: directory)
        let read = try DevelopmentKeys.load(orCreateIn: directory)
        #expect(ids(read) == ids(keys))
        #expect(read.current(for: .idToken)?.algorithm == .es256)
    }

    @Test func `a file that others may read is rejected`() throws {
        try DevelopmentKeys.shared().save(in: directory)
        let path = "\(directory)/\(DevelopmentKeys.fileName)"
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(problem()?.contains("chmod 600") == true)
    }

    @Test(arguments: [
        ("", "no id-token key"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "without valid Use"),
        (
            "Use: id-token\nKey-ID: a\nAlgorithm: RS256\n-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
            "the key a"
        ),
    ])
    func `a file of another form is rejected`(text: String, reason: String) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let made = FileManager.default.createFile(
            atPath: "\(directory)/\(DevelopmentKeys.fileName)", contents: Data(text.utf8),
            attributes: [.posixPermissions: 0o600])
        #expect(made)
        #expect(problem()?.contains(reason) == true)
    }

    @Test func `a directory that cannot be created is an error`() {
        #expect(problem(in: "/nonexistent/keys")?.hasPrefix("cannot make the directory of /nonexistent/keys/") == true)
    }

    private func problem(in directory: String? = nil) -> String? {
        do throws(DevelopmentIdentityError) {
            _ = try DevelopmentKeys.load(orCreateIn: directory ?? self.directory)
            return nil
        } catch {
            #expect(error.code == .keyFile)
            return error.description
        }
    }
}
