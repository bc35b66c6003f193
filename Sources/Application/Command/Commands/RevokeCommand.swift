import ArgumentParser
import CivilCalendar
import GatewayCore

/// `user revoke`, under its earlier name.
struct RevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a user's tokens; the same as user revoke.",
        discussion: """
            Example: gatehouse revoke ada --at 2026-01-31T09:00:00Z --config config/gatehouse.yaml

            Tokens of sign-ins before that time are refused at once and for good; a new sign-in passes. \
            A revocation never moves back.
            """)

    @OptionGroup var user: UserOptions

    @OptionGroup var time: RevocationTimeOption

    @OptionGroup var admin: AdminOptions

    func run() async throws { try await user.revoke(time, admin) }
}

/// The time of a revocation.
struct RevocationTimeOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Sign-ins before this time are revoked: RFC 3339, or seconds since 1970. Default: now.", valueName: "time"))
    var at: TimeOption?
}

/// A time in RFC 3339 format or in seconds since 1970.
struct TimeOption: ExpressibleByArgument {
    let time: UnixTime

    init?(argument: String) {
        guard let time = (Int64(argument) ?? RFC3339.seconds(argument)).flatMap(UnixTime.init(_:)) else { return nil }
        self.time = time
    }
}
