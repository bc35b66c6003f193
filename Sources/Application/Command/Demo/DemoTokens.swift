import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore

/// A token of the demo, with the name of its shell variable.
struct DemoToken {
    let name: String
    let value: String
}

/// The tokens of the example requests.
struct DemoTokens {
    /// Ada with a sign-in one hour ago: an ID token, a session cookie, and an ID token that also expired.
    let ada, adaCookie, adaExpired: DemoToken
    /// Ada's ID token with another user in its payload, so that its signature is invalid.
    let adaModified: DemoToken
    let grace: DemoToken
    /// An ID token of Apple.
    let alanApple: DemoToken
    /// Access tokens of GitHub, with the scope `repo` and with `read:user`.
    let linusGitHub, linusReader: DemoToken
    /// The token of the admin API.
    let admin: DemoToken

    init(_ demo: Demo, now: Int64) throws(DevelopmentIdentityError) {
        let provider = demo.provider
        let hourAgo = now - 3600
        ada = DemoToken(name: "ADA", value: try provider.sign(provider.idToken(for: .ada).signedIn(at: hourAgo)))
        adaCookie = DemoToken(
            name: "ADA_COOKIE", value: try provider.sign(provider.sessionCookie(for: .ada).signedIn(at: hourAgo)))
        let expired = provider.idToken(for: .ada).signedIn(at: now - 7200).issued(at: now - 7200).expiring(at: hourAgo)
        adaExpired = DemoToken(name: "ADA_EXPIRED", value: try provider.sign(expired))
        adaModified = DemoToken(name: "ADA_MODIFIED", value: Tampering.payload.applied(to: ada.value))
        grace = DemoToken(name: "GRACE", value: try provider.sign(provider.idToken(for: .grace).signedIn(at: hourAgo)))
        alanApple = DemoToken(name: "ALAN_APPLE", value: try provider.sign(provider.idToken(of: .apple, for: .alan)))
        linusGitHub = DemoToken(name: "LINUS_GITHUB", value: try Self.gitHub(["repo"], provider, now))
        linusReader = DemoToken(name: "LINUS_READER", value: try Self.gitHub(["read:user"], provider, now))
        admin = DemoToken(name: "ADMIN_TOKEN", value: demo.adminToken)
    }

    private static func gitHub(
        _ scopes: [String], _ provider: DevelopmentProvider, _ now: Int64
    ) throws(DevelopmentIdentityError) -> String {
        let token = OpaqueToken.gitHub(for: .linus, scopes: scopes, now: now)
        try provider.add(token)
        return token.text
    }

    var all: [DemoToken] {
        [ada, adaCookie, adaExpired, adaModified, grace, alanApple, linusGitHub, linusReader, admin]
    }
}
