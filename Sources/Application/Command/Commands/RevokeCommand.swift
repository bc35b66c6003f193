import ArgumentParser
import CivilCalendar
import Diagnostics
import GatewayConfiguration
import GatewayCore
import Revocation

struct RevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a user's tokens through the configured admin API.",
        discussion: """
            Example: gatehouse revoke ada --at 2026-01-31T09:00:00Z --config config/gatehouse.yaml

            Tokens of sign-ins before that time are refused at once and for good; a new sign-in passes. A revocation never moves back.
            """)

    @Argument(help: "The user's uid, as in the token's sub.")
    var uid: String

    @Option(help: "The user's tenant, where identity.firebase.tenant is \"*\" and the token has one.")
    var tenant: String?

    @Option(
        help: ArgumentHelp(
            "Sign-ins before this time are revoked: RFC 3339, or seconds since 1970. Default: now.", valueName: "time"))
    var at: TimeOption?

    @Option(help: ArgumentHelp("The configuration file. Default: config/gatehouse.yaml.", valueName: "file"))
    var config: String?

    func run() async throws {
        let file = config ?? Configuration.defaultFile
        let record: UserRecord
        let configuration: Configuration
        do throws(ConfigurationErrors) {
            configuration = try Configuration.load(file: file)
        } catch {
            throw Refused(error)
        }
        do throws(AdminClientError) {
            record = try await AdminClient(configuration.admin).revoke(
                UserKey(uid: uid, tenant: tenant), at: at?.time)
        } catch {
            throw Refused("\(file): \(error)")
        }
        try Console.say(text(of: record))
    }

    private func text(of record: UserRecord) -> String {
        let since =
            record.validSince.map { "revoked: sign-ins before \(RFC3339.text($0)) (\($0))" } ?? "nothing revoked"
        return "\(uid)\(tenant.map { " of the tenant \($0)" } ?? ""): \(since)"
            + (record.disabled ? "; the user is disabled" : "")
    }
}

/// A time in RFC 3339 format or in seconds since 1970.
struct TimeOption: ExpressibleByArgument {
    let time: UnixTime

    init?(argument: String) {
        guard let time = (Int64(argument) ?? RFC3339.seconds(argument)).flatMap(UnixTime.init(_:)) else { return nil }
        self.time = time
    }
}
