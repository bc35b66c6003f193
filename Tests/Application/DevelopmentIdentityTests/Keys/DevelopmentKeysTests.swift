import DevelopmentIdentity
import Foundation
import JOSE
import Testing

@Suite struct DevelopmentKeysTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try body(directory)
    }

    private func ids(_ keys: DevelopmentKeys) -> [String] {
        DevelopmentKeys.Use.allCases.flatMap { keys[$0].map(\.keyID) }
    }

    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func theLastKeyAddedSigns() throws {
        var keys = DevelopmentKeys()
        for id in ["a", "b"] { keys.add(try .generate(.es256, keyID: id), for: .idToken) }
        #expect(keys.current(for: .idToken)?.keyID == "b")
        keys.remove(keyID: "b", for: .idToken)
        #expect(keys.current(for: .idToken)?.keyID == "a")
        #expect(keys.current(for: .sessionCookie) == nil)
    }

    @Test func aKeyOfTheSameIdReplacesTheOld() throws {
        var keys = DevelopmentKeys()
        for _ in 0..<2 { keys.add(try .generate(.es256, keyID: "a"), for: .idToken) }
        #expect(keys[.idToken].count == 1)
    }

    @Test func theSharedKeysAreMadeOnce() throws {
        #expect(try ids(.shared()) == ids(.shared()))
    }

    @Test func aDirectoryGetsKeysOnceAndKeepsThem() throws {
        try withDirectory { directory in
            let made = try DevelopmentKeys.load(orCreateIn: directory)
            let read = try DevelopmentKeys.load(orCreateIn: directory)
            #expect(ids(made) == ids(read))
            #expect(made[.idToken].map(\.jwk) == read[.idToken].map(\.jwk))
        }
    }

    @Test func onlyTheOwnerMayReadTheFile() throws {
        try withDirectory { directory in
            _ = try DevelopmentKeys.load(orCreateIn: directory)
            #expect(try mode("\(directory)/\(DevelopmentKeys.fileName)") == 0o600)
            #expect(try mode(directory) == 0o700)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [DevelopmentKeys.fileName])
        }
    }

    @Test func severalKeysOfSeveralAlgorithmsAreKept() throws {
        try withDirectory { directory in
            var keys = try DevelopmentKeys.shared()
            keys.add(try .generate(.es256, keyID: "second"), for: .idToken)
            try keys.save(in: directory)
            try keys.save(in: directory)
            let read = try DevelopmentKeys.load(orCreateIn: directory)
            #expect(ids(read) == ids(keys))
            #expect(read.current(for: .idToken)?.algorithm == .es256)
        }
    }

    @Test func aFileThatOthersMayReadIsRefused() throws {
        try withDirectory { directory in
            try DevelopmentKeys.shared().save(in: directory)
            let path = "\(directory)/\(DevelopmentKeys.fileName)"
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            #expect(problem(directory)?.contains("chmod 600") == true)
        }
    }

    @Test(arguments: [
        ("", "no id-token key"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "without valid Use"),
        (
            "Use: id-token\nKey-ID: a\nAlgorithm: RS256\n-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
            "the key a"
        ),
    ])
    func aFileThatIsNotOursIsRefused(text: String, reason: String) throws {
        try withDirectory { directory in
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            let made = FileManager.default.createFile(
                atPath: "\(directory)/\(DevelopmentKeys.fileName)", contents: Data(text.utf8),
                attributes: [.posixPermissions: 0o600])
            #expect(made)
            #expect(problem(directory)?.contains(reason) == true)
        }
    }

    @Test func aDirectoryThatCannotBeMadeIsAnError() {
        #expect(problem("/nonexistent/keys")?.hasPrefix("cannot make the directory of /nonexistent/keys/") == true)
    }

    private func problem(_ directory: String) -> String? {
        do throws(DevelopmentIdentityError) {
            _ = try DevelopmentKeys.load(orCreateIn: directory)
            return nil
        } catch {
            #expect(error.code == .keyFile)
            return error.description
        }
    }
}
