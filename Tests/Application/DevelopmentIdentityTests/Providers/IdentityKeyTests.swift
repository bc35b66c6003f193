import DevelopmentIdentity
import Foundation
import JOSE
import Testing

@Suite struct IdentityKeyTests {
    private func keySet(_ provider: DevelopmentProvider, _ identity: IdentityProvider) async throws -> KeySet {
        try KeySet(jwkSet: await document(provider, .keys(identity)).body)
    }

    private func document(
        _ provider: DevelopmentProvider, _ endpoint: DevelopmentProvider.Endpoint
    ) async throws -> Response {
        try await #require(Response(exchange(provider.port, endpoint.rawValue)))
    }

    private func verifies(_ text: String, _ set: KeySet, by algorithm: Algorithm = .rs256) throws -> Bool {
        let token = try UnverifiedJWS(text)
        let key = try #require(set.key(id: token.keyID ?? ""))
        return token.verify(with: key, algorithm: algorithm) != nil
    }

    @Test(arguments: [
        (IdentityProvider.apple, Algorithm.rs256), (.google, .rs256), (.microsoft, .rs256), (.facebook, .rs256),
        (.yahoo, .es256), (.linkedIn, .rs256), (.oidc("corp"), .rs256),
    ])
    func tokensVerifyWithTheirProvidersKeys(identity: IdentityProvider, algorithm: Algorithm) async throws {
        try await withProvider { provider in
            let set = try await keySet(provider, identity)
            #expect(try verifies(provider.sign(provider.idToken(of: identity)), set, by: algorithm))
            #expect(provider.calls(to: .keys(identity)) == 1)
            #expect(provider.calls(to: .keys(.oidc("other"))) == 0)
        }
    }

    @Test func noTwoProvidersShareAKey() async throws {
        try await withProvider { provider in
            let all = IdentityProvider.wellKnown + [.oidc("a"), .oidc("b")]
            let keys = try all.flatMap { try provider.keys(of: $0).map(\.key.keyID) }
            #expect(keys.count == all.count + 2)
            #expect(Set(keys).count == keys.count)
        }
    }

    @Test func allDevelopmentProvidersOfAProcessShareTheirs() async throws {
        try await withProvider { first in
            try await withProvider { second in
                let ids = try [first, second].map { try $0.keys(of: .apple).map(\.key.keyID) }
                #expect(ids[0] == ids[1])
            }
        }
    }

    @Test func yahooHasAKeyOfEitherKind() async throws {
        try await withProvider { provider in
            let keys = try #require(try await document(provider, .keys(.yahoo)).json).root["keys"]
            #expect(keys?.elements.map { $0["kty"]?.string } == ["RSA", "EC"])
        }
    }

    @Test func microsoftsKeysNameTheirIssuersAndNoAlgorithm() async throws {
        try await withProvider { provider in
            let keys = try #require(try await document(provider, .keys(.microsoft)).json).root["keys"]
            #expect(
                keys?.elements.map { $0["issuer"]?.string } == [
                    "https://login.microsoftonline.com/{tenantid}/v2.0",
                    "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
                ])
            #expect(keys?.elements.contains { $0["alg"] != nil } == false)
        }
    }

    @Test func microsoftSignsForPersonalAccountsWithTheirKey() async throws {
        try await withProvider { provider in
            let ids = try provider.keys(of: .microsoft).map(\.key.keyID)
            #expect(try UnverifiedJWS(provider.sign(provider.idToken(of: .microsoft, for: .barbara))).keyID == ids[0])
            #expect(try UnverifiedJWS(provider.sign(provider.idToken(of: .microsoft, for: .hedy))).keyID == ids[1])
        }
    }

    @Test func aRotationKeepsTheOldKeyUntilItIsRemoved() async throws {
        try await withProvider { provider in
            let old = try #require(provider.keys(of: .yahoo).last?.key)
            let new = try provider.rotateKeys(of: .yahoo)
            #expect(try UnverifiedJWS(provider.sign(provider.idToken(of: .yahoo))).keyID == new.keyID)
            #expect(try await keySet(provider, .yahoo).key(id: old.keyID) != nil)
            try provider.updateKeys(of: .yahoo) { $0.removeAll { $0.key.keyID == old.keyID } }
            #expect(try await keySet(provider, .yahoo).key(id: old.keyID) == nil)
        }
    }

    @Test func aRotatedMicrosoftKeyNamesTheTemplate() async throws {
        try await withProvider { provider in
            try provider.rotateKeys(of: .microsoft)
            let issuer = try provider.keys(of: .microsoft).last?.jwk["issuer"]
            #expect(issuer == "https://login.microsoftonline.com/{tenantid}/v2.0")
        }
    }

    @Test func twoProvidersMayPublishTheSameId() async throws {
        try await withProvider { provider in
            for identity in [IdentityProvider.oidc("a"), .oidc("b")] {
                let key = PublishedKey(try .generate(.es256, keyID: "same"))
                try provider.updateKeys(of: identity) { $0 = [key] }
            }
            let set = try await keySet(provider, .oidc("a"))
            #expect(try verifies(provider.sign(provider.idToken(of: .oidc("a"))), set, by: .es256))
            #expect(try !verifies(provider.sign(provider.idToken(of: .oidc("b"))), set, by: .es256))
        }
    }

    @Test func whatIsPublishedOfAKeyCanBeAnything() async throws {
        try await withProvider { provider in
            try provider.updateKeys(of: .yahoo) { $0[1].jwk["use"] = "enc" }
            let set = try await keySet(provider, .yahoo)
            #expect(set.keys.count == 1 && set.skipped.count == 1)
        }
    }

    @Test func aProviderWithoutKeysSignsNothing() async throws {
        try await withProvider { provider in
            try provider.updateKeys(of: .yahoo) { $0 = [] }
            #expect(throws: DevelopmentIdentityError.self) { try provider.sign(provider.idToken(of: .yahoo)) }
        }
    }

    @Test func keysOfADirectoryOutliveTheProcess() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var ids: [[String]] = []
        for _ in 0..<2 {
            let provider = try await DevelopmentProvider.start(keyDirectory: directory)
            ids.append(try provider.keys(of: .yahoo).map(\.key.keyID))
            await provider.stop()
        }
        #expect(ids[0] == ids[1] && ids[0].count == 2)
        let file = directory + "/development-keys-yahoo.com.pem"
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func aFileOfAnotherProvidersKeysIsRefused() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let provider = try await DevelopmentProvider.start(keyDirectory: directory)
        _ = try provider.keys(of: .yahoo)
        try FileManager.default.copyItem(
            atPath: directory + "/development-keys-yahoo.com.pem", toPath: directory + "/development-keys-apple.com.pem"
        )
        #expect(throws: DevelopmentIdentityError.self) { try provider.keys(of: .apple) }
        await provider.stop()
    }
}
