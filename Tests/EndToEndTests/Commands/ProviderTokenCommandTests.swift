import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// `token inspect` and `explain` of tokens of providers, with the development provider.
struct ProviderTokenCommandTests {
    private static func configuration(_ provider: DevelopmentProvider) -> String {
        let gitHub = provider.client(for: .gitHub)
        let legacy = provider.client(for: .introspected)
        return """
            identity:
              providers:
                apple.com: { audiences: ['\(IdentityProvider.apple.demoAudience)'], keys_url: '\(provider.url(.keys(.apple)))' }
                github.com:
                  { client_id: '\(gitHub.id)', client_secret: '\(gitHub.secret)',
                    token_check_url: '\(provider.url(.gitHubTokenCheck))', timeout: 5s }
                oauth.legacy:
                  { client_id: '\(legacy.id)', client_secret: '\(legacy.secret)', audiences: [gatehouse],
                    introspection_url: '\(provider.url(.introspection))', timeout: 5s }
            store: 'sqlite:gatehouse.db'
            upstreams: { api: { servers: ['http://127.0.0.1:3000'] } }
            routes:
              - { path: /legacy, providers: [oauth.legacy], scopes: [write], upstream: api }
              - { path: /any, upstream: api }

            """
    }

    /// Runs `body` with a provider and a folder that has a configuration for it.
    private func with(_ body: (DevelopmentProvider, ScratchFolder) async throws -> Void) async throws {
        let provider = try await DevelopmentProvider.start()
        let folder = try ScratchFolder()
        try folder.write(Self.configuration(provider), to: "gatehouse.yaml")
        let result: Result<Void, any Error>
        do { result = .success(try await body(provider, folder)) } catch { result = .failure(error) }
        await provider.stop()
        try result.get()
    }

    @Test func `an opaque token is inspected by its provider`() async throws {
        try await with { provider, folder in
            let token = OpaqueToken.gitHub(for: .ada, now: provider.now)
            try provider.add(token)
            func inspect(_ provider: String...) async throws -> CommandRun {
                let child = ["token", "inspect", token.text, "--config", "gatehouse.yaml"] + provider
                return try await CommandRun.run(child, in: folder)
            }
            let good = try await inspect("--provider", "github.com")
            #expect(good.exitCode == 0, "\(good.output)\(good.errors)")
            #expect(good.output.contains("\"github.com:\(DevelopmentUser.ada.subject(at: "github.com"))\""))
            provider.revoke(token)
            let revoked = try await inspect("--provider", "github.com")
            #expect(revoked.exitCode == 1)
            #expect(revoked.output.contains("NOT VALID: auth/invalid-id-token"))
            let unclear = try await inspect()
            #expect(unclear.exitCode == 1)
            #expect(unclear.errors.contains("--provider") && unclear.output == "")
            let all = [good, revoked, unclear].map { $0.output + $0.errors }.joined()
            #expect(!all.contains(token.text) && !all.contains(provider.client(for: .gitHub).secret))
        }
    }

    @Test func `a request with a provider's token is explained`() async throws {
        try await with { provider, folder in
            func explain(_ path: String, _ token: String, _ more: String...) async throws -> CommandRun {
                try await CommandRun.run(
                    ["explain", "GET", path, "--token", token, "--config", "gatehouse.yaml"] + more, in: folder)
            }
            let apple = try await explain("/any", try provider.sign(provider.idToken(of: .apple)))
            #expect(apple.exitCode == 0, "\(apple.output)\(apple.errors)")
            #expect(apple.output.contains("X-Auth-Provider: apple.com"))

            let token = OpaqueToken.introspected(for: .ada, scope: "read", now: provider.now)
            try provider.add(token)
            let scoped = try await explain("/legacy", token.text)
            #expect(scoped.exitCode == 1)
            #expect(scoped.output.contains("REFUSED with 403 auth/insufficient-scope"))
            let unclear = try await explain("/any", token.text)
            #expect(unclear.output.contains("REFUSED with 401 auth/argument-error"))

            let calls = provider.calls(about: token)
            let unasked = try await explain("/legacy", token.text, "--no-fetch")
            #expect(unasked.exitCode == 1 && unasked.output.contains("UNDETERMINED"))
            #expect(provider.calls(about: token) == calls)
            let all = [scoped, unclear, unasked].map { $0.output + $0.errors }.joined()
            #expect(!all.contains(token.text))
        }
    }
}
