import DevelopmentIdentity
import JOSE
import Testing

@testable import SystemFixtures

@Suite struct TokenMintTests {
    @Test(arguments: [("apple.com", IdentityProvider.apple), ("oidc.corp", .oidc("corp"))])
    func `a minted token is signed by the keys of the demo`(id: String, identity: IdentityProvider) async throws {
        let folder = try ScratchFolder()
        let run = try await CommandRun.run(
            "token", "mint", "--provider", id, "--user", "ada", "--keys", folder.path("keys"), "--audience", "app",
            "--nonce", "n", "--expires-in", "10m", "--claim", "x=[1]", in: folder)
        #expect(run.exitCode == 0, "\(run.errors)")
        let token = try UnverifiedJWS(String(run.output.prefix { $0 != "\n" }))
        let provider = try await DevelopmentProvider.start(keyDirectory: folder.path("keys"))
        #expect(try provider.keys(of: identity).map(\.key.keyID) == [token.keyID])
        await provider.stop()
        let claims = token.payload.root
        #expect(claims["sub"]?.string == DevelopmentUser.ada.subject(at: id))
        #expect(claims["aud"]?.string == "app")
        #expect(claims["nonce"]?.string == "n")
        #expect(claims["x"]?.count == 1)
        #expect((claims["exp"]?.integer ?? 0) - (claims["iat"]?.integer ?? 0) == 600)
    }

    @Test(arguments: [("apple.com", "consent-revoked"), ("oidc.corp", "logout")])
    func `an event is minted instead of an ID token`(id: String, event: String) async throws {
        let folder = try ScratchFolder()
        let run = try await CommandRun.run(
            "token", "mint", "--provider", id, "--user", "ada", "--keys", folder.path("keys"), "--event", event,
            in: folder)
        #expect(run.exitCode == 0, "\(run.errors)")
        let claims = try UnverifiedJWS(String(run.output.prefix { $0 != "\n" })).payload.root
        #expect(claims["jti"]?.string?.isEmpty == false)
        #expect(claims["events"] != nil)
    }

    @Test(arguments: [
        ("--event=logout", "--expires-in=1h", "--event goes with --provider"),
        ("--event=consent-revoked", "--provider=google.com", "goes with --provider apple.com"),
        ("--provider=github.com", "--expires-in=1h", "opaque"), ("--provider=x", "--expires-in=1h", "no provider x"),
        ("--provider=apple.com", "--session", "exclude each other"), ("--nonce=n", "--session", "go with --provider"),
    ])
    func `conflicting options are rejected`(first: String, second: String, reason: String) async throws {
        let folder = try ScratchFolder()
        let run = try await CommandRun.run("token", "mint", "--user", "ada", first, second, in: folder)
        #expect(run.exitCode == 64)
        #expect(run.errors.contains(reason))
    }
}
