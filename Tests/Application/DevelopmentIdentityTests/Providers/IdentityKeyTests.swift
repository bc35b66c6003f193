import Foundation
import JOSE
import Testing

@testable import DevelopmentIdentity
@testable import SystemFixtures

@Suite(.provider) struct IdentityKeyTests {
    private let provider: DevelopmentProvider

    init() throws { provider = try #require(DevelopmentProvider.current) }

    private func keySet(_ identity: IdentityProvider) async throws -> KeySet {
        try KeySet(jwkSet: try await provider.response(at: .keys(identity)).body)
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
    func `tokens verify with the keys of their provider`(identity: IdentityProvider, algorithm: Algorithm) async throws
    {
        let set = try await keySet(identity)
        #expect(try verifies(provider.sign(provider.idToken(of: identity)), set, by: algorithm))
        #expect(provider.calls(to: .keys(identity)) == 1)
        #expect(provider.calls(to: .keys(.oidc("other"))) == 0)
    }

    @Test func `no two providers share a key`() async throws {
        let all = IdentityProvider.wellKnown + [.oidc("a"), .oidc("b")]
        let keys = try all.flatMap { try provider.keys(of: $0).map(\.key.keyID) }
        #expect(keys.count == all.count + 2)
        #expect(Set(keys).count == keys.count)
    }

    @Test func `all development providers of a process share their keys`() async throws {
        try await withProvider { second in
            let ids = try [provider, second].map { try $0.keys(of: .apple).map(\.key.keyID) }
            #expect(ids[0] == ids[1])
        }
    }

    @Test func `Yahoo has a key of either kind`() async throws {
        let keys = try #require(try await provider.response(at: .keys(.yahoo)).json).root["keys"]
        #expect(keys?.elements.map { $0["kty"]?.string } == ["RSA", "EC"])
    }

    @Test func `Microsoft's keys name their issuers and no algorithm`() async throws {
        let keys = try #require(try await provider.response(at: .keys(.microsoft)).json).root["keys"]
        #expect(
            keys?.elements.map { $0["issuer"]?.string } == [
                "https://login.microsoftonline.com/{tenantid}/v2.0",
                "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
            ])
        #expect(keys?.elements.contains { $0["alg"] != nil } == false)
    }

    @Test func `Microsoft signs for personal accounts with another key`() async throws {
        let ids = try provider.keys(of: .microsoft).map(\.key.keyID)
        #expect(try UnverifiedJWS(provider.sign(provider.idToken(of: .microsoft, for: .barbara))).keyID == ids[0])
        #expect(try UnverifiedJWS(provider.sign(provider.idToken(of: .microsoft, for: .hedy))).keyID == ids[1])
    }

    @Test func `a rotation keeps the old key until it is removed`() async throws {
        let old = try #require(provider.keys(of: .yahoo).last?.key)
        let new = try provider.rotateKeys(of: .yahoo)
        #expect(try UnverifiedJWS(provider.sign(provider.idToken(of: .yahoo))).keyID == new.keyID)
        #expect(try await keySet(.yahoo).key(id: old.keyID) != nil)
        try provider.updateKeys(of: .yahoo) { $0.removeAll { $0.key.keyID == old.keyID } }
        #expect(try await keySet(.yahoo).key(id: old.keyID) == nil)
    }

    @Test func `a rotated key of Microsoft names the template`() async throws {
        try provider.rotateKeys(of: .microsoft)
        let issuer = try provider.keys(of: .microsoft).last?.jwk["issuer"]
        #expect(issuer == "https://login.microsoftonline.com/{tenantid}/v2.0")
    }

    @Test func `two providers may publish the same id`() async throws {
        for identity in [IdentityProvider.oidc("a"), .oidc("b")] {
            let key = PublishedKey(try .generate(.es256, keyID: "same"))
            try provider.updateKeys(of: identity) { $0 = [key] }
        }
        let set = try await keySet(.oidc("a"))
        #expect(try verifies(provider.sign(provider.idToken(of: .oidc("a"))), set, by: .es256))
        #expect(try !verifies(provider.sign(provider.idToken(of: .oidc("b"))), set, by: .es256))
    }

    @Test func `the published form of a key can be changed`() async throws {
        try provider.updateKeys(of: .yahoo) { $0[1].jwk["use"] = "enc" }
        let set = try await keySet(.yahoo)
        #expect(set.keys.count == 1 && set.skipped.count == 1)
    }

    @Test func `a provider without keys signs nothing`() async throws {
        try provider.updateKeys(of: .yahoo) { $0 = [] }
        #expect(throws: DevelopmentIdentityError.self) { try provider.sign(provider.idToken(of: .yahoo)) }
    }

    @Test func `keys of a directory outlive the process`() async throws {
        let folder = try ScratchFolder()
        let directory = folder.path("keys")
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

    @Test func `a file of another provider's keys is rejected`() async throws {
        let folder = try ScratchFolder()
        let directory = folder.path("keys")
        let provider = try await DevelopmentProvider.start(keyDirectory: directory)
        _ = try provider.keys(of: .yahoo)
        try FileManager.default.copyItem(
            atPath: directory + "/development-keys-yahoo.com.pem", toPath: directory + "/development-keys-apple.com.pem"
        )
        #expect(throws: DevelopmentIdentityError.self) { try provider.keys(of: .apple) }
        await provider.stop()
    }

    @Test func `the number of providers is bounded`() throws {
        let keyring = IdentityKeyring(directory: nil, mostProviders: 1)
        let keys = try keyring.keys(of: .yahoo).map(\.key.keyID)
        #expect(throws: DevelopmentIdentityError.self) { try keyring.keys(of: .apple) }
        #expect(try keyring.keys(of: .yahoo).map(\.key.keyID) == keys)
    }
}
