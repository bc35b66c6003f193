import ArgumentParser
import CivilCalendar
import Diagnostics
import GatewayCore
import Revocation

/// The user of a command.
struct UserOptions: ParsableArguments {
    @Argument(help: "The user's uid, as in the token's sub.")
    var uid: String

    @Option(
        help: ArgumentHelp(
            "The user's tenant, where identity.firebase accepts several tenants and the token has one.",
            valueName: "tenant"))
    var tenant: String?

    @Option(
        help: ArgumentHelp(
            "The user's Firebase project, where identity.firebase has several projects.", valueName: "project"))
    var project: String?

    /// The name of the user in the store.
    var key: UserKey { UserKey(uid: uid, tenant: tenant, project: project) }

    /// The name of the user for display.
    var shown: String { key.shown }

    /// Prints a record of the user.
    func show(_ reply: AdminClient.Reply<UserRecord>, _ options: AdminOptions) throws(Refused) {
        guard !options.json else { return try Console.say(reply.json) }
        let since = reply.record.validSince.map { "revoked: sign-ins before \(RFC3339.text($0)) (\($0))" }
        let state = reply.record.disabled ? "disabled, every request is denied" : "not disabled"
        try Console.say("\(shown): \(state); \(since ?? "nothing revoked")")
    }

    /// Makes a change of the user and prints the record.
    func change(_ change: AdminClient.UserChange, _ options: AdminOptions) async throws(Refused) {
        try show(
            await options.call { client throws(AdminClientError) in try await client.change(key, change) }, options)
    }

    /// Revokes the user's tokens and prints the record.
    func revoke(_ time: RevocationTimeOption, _ options: AdminOptions) async throws(Refused) {
        try show(
            await options.call { client throws(AdminClientError) in try await client.revoke(key, at: time.at?.time) },
            options)
    }
}

extension UserKey {
    /// The name for display.
    var shown: String {
        "\(uid)\(tenant.map { " of the tenant \($0)" } ?? "")\(project.map { " of the project \($0)" } ?? "")"
    }
}

struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Show, disable, enable, revoke and unrevoke users, by the admin API of a running gateway.",
        discussion: "Example: gatehouse user show ada --config config/gatehouse.yaml",
        subcommands: [
            UserShowCommand.self, UserDisableCommand.self, UserEnableCommand.self, UserRevokeCommand.self,
            UserUnrevokeCommand.self,
        ])
}

struct UserShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print whether a user is disabled or revoked.",
        discussion: """
            Example: gatehouse user show ada --config config/gatehouse.yaml

            A user without a record is not disabled, and nothing is revoked.
            """)

    @OptionGroup var user: UserOptions

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        try user.show(
            await admin.call { client throws(AdminClientError) in try await client.user(user.key) }, admin)
    }
}

struct UserDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Deny all requests of a user, whatever the age of the token.",
        discussion: "Example: gatehouse user disable ada --config config/gatehouse.yaml")

    @OptionGroup var user: UserOptions

    @OptionGroup var admin: AdminOptions

    func run() async throws { try await user.change(.disable, admin) }
}

struct UserEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Permit requests of a disabled user again. A revocation remains.",
        discussion: "Example: gatehouse user enable ada --config config/gatehouse.yaml")

    @OptionGroup var user: UserOptions

    @OptionGroup var admin: AdminOptions

    func run() async throws { try await user.change(.enable, admin) }
}

struct UserRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a user's tokens of sign-ins before now, or before a time.",
        discussion: """
            Example: gatehouse user revoke ada --at 2026-01-31T09:00:00Z --config config/gatehouse.yaml

            The tokens are refused at once and for good; a new sign-in passes. A revocation never moves back.
            """)

    @OptionGroup var user: UserOptions

    @OptionGroup var time: RevocationTimeOption

    @OptionGroup var admin: AdminOptions

    func run() async throws { try await user.revoke(time, admin) }
}

struct UserUnrevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unrevoke",
        abstract: "Remove the revocation of a user. Revoked tokens are valid again until they expire.",
        discussion: "Example: gatehouse user unrevoke ada --config config/gatehouse.yaml")

    @OptionGroup var user: UserOptions

    @OptionGroup var admin: AdminOptions

    func run() async throws { try await user.change(.unrevoke, admin) }
}

struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Revoke single sessions, by the admin API of a running gateway.",
        discussion: "Example: gatehouse session revoke ada 1795225200 --config config/gatehouse.yaml",
        subcommands: [SessionRevokeCommand.self])
}

struct SessionRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke one session of a user. Other sessions continue.",
        discussion: "Example: gatehouse session revoke ada 1795225200 --config config/gatehouse.yaml")

    @OptionGroup var user: UserOptions

    @Argument(
        help: "The session: the auth_time of its tokens, or the sid of a session cookie of the gateway's accounts.")
    var session: String

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        let reply = try await admin.call { client throws(AdminClientError) in
            try await client.revokeSession(user.key, session)
        }
        try Console.say(admin.json ? reply.json : "\(user.shown), session \(session): revoked")
    }
}
