import ArgumentParser
import DevelopmentIdentity
import Foundation

struct TokenMintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mint",
        abstract: "Mint a token of the development identity, which `gatehouse demo` accepts.",
        discussion: """
            Example: curl -H "Authorization: Bearer $(gatehouse token mint --user ada)" http://127.0.0.1:8080/v1/hello

            Development only: no Firebase project takes these tokens. Named users have a profile (ada, grace, alan, \
            barbara, hedy, linus, dennis, margaret, edsger, robot, guest); any other name is a user with a password.
            """)

    @Option(help: ArgumentHelp("Who signs in.", valueName: "uid"))
    var user: String

    @Option(
        help: ArgumentHelp(
            "A provider's own ID token instead of Firebase's: apple.com, google.com, microsoft.com, facebook.com, "
                + "yahoo.com, linkedin.com or oidc.NAME.", valueName: "id"))
    var provider: String?

    @Option(help: ArgumentHelp("With --provider: the audience of the token. Default: the demo's.", valueName: "id"))
    var audience: String?

    @Option(
        help: ArgumentHelp(
            "With --provider: the issuer. Default: the provider; for oidc.NAME the demo's identity provider.",
            valueName: "url"))
    var issuer: String?

    @Option(help: ArgumentHelp("With --provider: the nonce, used unchanged.", valueName: "text"))
    var nonce: String?

    @Option(
        help: ArgumentHelp(
            "With --provider: what its server tells of the user instead of an ID token: logout, or of apple.com "
                + "consent-revoked, account-delete, email-enabled or email-disabled.", valueName: "type"))
    var event: String?

    @Option(help: ArgumentHelp("The Firebase project that the token is for.", valueName: "id"))
    var project = FirebaseToken.demoProject

    @Option(
        help: ArgumentHelp(
            "How long ago the user signed in, such as 10m. Default: 0s; a token of --provider says it only where the "
                + "provider does.", valueName: "duration"))
    var authTimeAgo: DurationOption?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The token's lifetime, such as 1h; -5m creates an expired one. Default: 1h, 5d for a session cookie, 24h for Apple.",
            valueName: "duration"))
    var expiresIn: DurationOption?

    @Flag(help: "A session cookie instead of an ID token.")
    var session = false

    @Option(help: ArgumentHelp("The tenant that the user belongs to; with --provider, Microsoft's.", valueName: "id"))
    var tenant: String?

    @Option(
        name: .customLong("claim"),
        help: ArgumentHelp(
            "A claim, NAME=VALUE, where VALUE is JSON or else text. May be repeated.", valueName: "name=value"))
    var claims: [ClaimOption] = []

    @Option(
        help: ArgumentHelp("The directory of the signing keys. Default: that of `gatehouse demo`.", valueName: "dir"))
    var keys: String?

    func validate() throws {
        if provider == nil, audience != nil || issuer != nil || nonce != nil {
            throw ValidationError("--audience, --issuer and --nonce go with --provider")
        }
        if provider != nil, session {
            throw ValidationError("--session and --provider exclude each other: only Firebase has session cookies")
        }
        if let event { try validate(event: event) }
        guard let provider, IdentityProvider(id: provider) == nil else { return }
        let isOpaque = provider == "github.com" || provider.hasPrefix("oauth.")
        throw ValidationError(
            isOpaque
                ? "tokens of \(provider) are opaque, so a running provider must know them: POST "
                    + "{\"provider\":\"\(provider)\"} to \(Self.demoProvider)/mint while `gatehouse demo` runs"
                : "there is no provider \(provider) with tokens of its own; `gatehouse help token mint` lists them")
    }

    private func validate(event: String) throws {
        guard let provider else { throw ValidationError("--event goes with --provider") }
        if nonce != nil || authTimeAgo != nil {
            throw ValidationError("--event excludes --nonce and --auth-time-ago, which events do not contain")
        }
        if event != "logout", provider != IdentityProvider.apple.id || issuer != nil {
            throw ValidationError("--event \(event) goes with --provider apple.com, without --issuer")
        }
    }

    func run() throws {
        let token: String
        do throws(DevelopmentIdentityError) {
            token = try minted(keys: keys ?? DevelopmentState.directory(), now: Int64(Date().timeIntervalSince1970))
        } catch {
            throw Refused(error)
        }
        try Console.say(token)
    }

    private static let demoProvider = "http://127.0.0.1:\(DemoPorts.provider)"

    private func minted(keys: String, now: Int64) throws(DevelopmentIdentityError) -> String {
        if let provider = provider.flatMap(IdentityProvider.init(id:)) {
            return try changed(providerToken(of: provider, now: now), now: now).signed(byKeysIn: keys)
        }
        let token = changed(firebaseToken(now: now), now: now)
        return try DevelopmentKeys.load(orCreateIn: keys).sign(token)
    }

    private func firebaseToken(now: Int64) -> FirebaseToken {
        let user = DevelopmentUser.named(user)
        let token =
            session
            ? FirebaseToken.sessionCookie(for: user, project: project, now: now)
            : FirebaseToken.idToken(for: user, project: project, now: now)
        return tenant.map(token.inTenant) ?? token
    }

    private func providerToken(of provider: IdentityProvider, now: Int64) -> ProviderToken {
        var issuer = issuer
        if issuer == nil, case .oidc(let name) = provider { issuer = "\(Self.demoProvider)/oidc/\(name)" }
        let token = token(of: provider, for: .named(user), issuer: issuer, now: now)
        return provider == .microsoft ? tenant.map(token.inTenant) ?? token : token
    }

    private func token(
        of provider: IdentityProvider, for user: DevelopmentUser, issuer: String?, now: Int64
    ) -> ProviderToken {
        guard let event else {
            return .idToken(of: provider, for: user, audience: audience, issuer: issuer, nonce: nonce, now: now)
        }
        guard event == "logout" else { return .appleNotification(event, about: user, audience: audience, now: now) }
        return .logoutToken(of: provider, for: user, audience: audience, issuer: issuer, now: now)
    }

    private func changed<Token: DraftToken>(_ token: Token, now: Int64) -> Token {
        var token = token
        if let authTimeAgo { token = token.signedIn(at: now - authTimeAgo.seconds) }
        if let expiresIn { token = token.expiring(at: now + expiresIn.seconds) }
        return claims.reduce(token) { $0.merging([$1.name: $1.value]) }
    }
}

/// A claim as `NAME=VALUE`.
struct ClaimOption: ExpressibleByArgument {
    let name: String
    let value: JSON

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        name = String(parts[0])
        value = JSON(parsing: Array(parts[1].utf8)) ?? .string(String(parts[1]))
    }
}
