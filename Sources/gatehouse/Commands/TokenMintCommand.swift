import ArgumentParser
import DevelopmentIdentity
import Foundation

struct TokenMintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mint",
        abstract: "Mint a token of the development identity, which `gatehouse demo` takes.",
        discussion: """
            Example: curl -H "Authorization: Bearer $(gatehouse token mint --user ada)" http://127.0.0.1:8080/v1/hello

            Development only: no Firebase project takes these tokens. Named users have a profile (ada, grace, alan, \
            barbara, hedy, linus, dennis, margaret, edsger, robot, guest); any other name is a user with a password.
            """)

    @Option(help: ArgumentHelp("Who signs in.", valueName: "uid"))
    var user: String

    @Option(help: ArgumentHelp("The Firebase project that the token is for.", valueName: "id"))
    var project = FirebaseToken.demoProject

    @Option(help: ArgumentHelp("How long ago the user signed in, such as 10m.", valueName: "duration"))
    var authTimeAgo = DurationOption(seconds: 0)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "When the token ends, such as 1h; -5m makes one that ended. Default: 1h, a session cookie 5d.",
            valueName: "duration"))
    var expiresIn: DurationOption?

    @Flag(help: "A session cookie instead of an ID token.")
    var session = false

    @Option(help: ArgumentHelp("The tenant that the user belongs to.", valueName: "id"))
    var tenant: String?

    @Option(
        name: .customLong("claim"),
        help: ArgumentHelp(
            "A claim, NAME=VALUE, where VALUE is JSON or else text. May be repeated.", valueName: "name=value"))
    var claims: [ClaimOption] = []

    @Option(
        help: ArgumentHelp("The directory of the signing keys. Default: that of `gatehouse demo`.", valueName: "dir"))
    var keys: String?

    func run() throws {
        do throws(DevelopmentIdentityError) {
            let keys = try DevelopmentKeys.load(orCreateIn: keys ?? DevelopmentState.directory())
            Console.say(try keys.sign(token(now: Int64(Date().timeIntervalSince1970))))
        } catch {
            throw Refused(error)
        }
    }

    private func token(now: Int64) -> FirebaseToken {
        let user = DevelopmentUser.named(user)
        var token =
            session
            ? FirebaseToken.sessionCookie(for: user, project: project, now: now)
            : FirebaseToken.idToken(for: user, project: project, now: now)
        token = token.signedIn(at: now - authTimeAgo.seconds)
        if let expiresIn { token = token.expiring(at: now + expiresIn.seconds) }
        if let tenant { token = token.inTenant(tenant) }
        return claims.reduce(token) { $0.merging([$1.name: $1.value]) }
    }
}

/// `NAME=VALUE`.
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
