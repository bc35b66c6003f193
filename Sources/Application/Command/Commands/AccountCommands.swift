import ArgumentParser
import CivilCalendar
import Diagnostics
import GatewayCore
import Revocation

extension UserOptions {
    /// Prints an account.
    func show(
        _ reply: AdminClient.Reply<AdminClient.Account>, _ options: AdminOptions, of name: String? = nil
    ) throws(Refused) {
        guard !options.json else { return try Console.say(reply.json) }
        try Console.say("\(name ?? shown): \(Self.text(of: reply.record))")
    }

    private static func text(of account: AdminClient.Account) -> String {
        if let deleted = account.deleted {
            let target = account.mergedInto.map { ", merged into \($0)" } ?? ""
            return "deleted at \(RFC3339.text(deleted))\(target)"
        }
        let created = account.created.map { "created at \(RFC3339.text($0))" } ?? "no account of the gateway"
        let email = account.email.map { "; \($0), \(account.emailIsVerified ? "verified" : "not verified")" } ?? ""
        let list = account.providers.joined(separator: ", ")
        let links = list.isEmpty ? "nothing linked" : "linked: \(list)"
        return "\(created)\(email); \(links)"
    }
}

struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "List, show, change and merge accounts, by the admin API of a running gateway.",
        discussion: "Example: gatehouse account show 5b1c0123456789abcdef0123456789ab --config config/gatehouse.yaml",
        subcommands: [
            AccountListCommand.self, AccountSearchCommand.self, AccountShowCommand.self, AccountSessionsCommand.self,
            AccountEndSessionCommand.self, AccountDeleteCommand.self, AccountUnlinkCommand.self,
            AccountMergeCommand.self,
        ])
}

struct AccountShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print an account's address and linked providers. With --json, also its subjects there.",
        discussion: "Example: gatehouse account show 5b1c0123456789abcdef0123456789ab --config config/gatehouse.yaml")

    @OptionGroup var user: UserOptions

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        try user.show(
            await admin.call { client throws(AdminClientError) in try await client.account(user.key) }, admin)
    }
}

struct AccountDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an account that the gateway created. This cannot be undone.",
        discussion: """
            Example: gatehouse account delete 5b1c0123456789abcdef0123456789ab --config config/gatehouse.yaml

            Every session and token of the account ends. A later sign-in creates another account.
            """)

    @OptionGroup var user: UserOptions

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        try user.show(
            await admin.call { client throws(AdminClientError) in try await client.deleteAccount(user.key) }, admin)
    }
}

struct AccountUnlinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink",
        abstract: "Unlink a provider from an account, and end the sessions that began there.",
        discussion: """
            Example: gatehouse account unlink 5b1c0123456789abcdef0123456789ab github.com \
                --config config/gatehouse.yaml
            """)

    @OptionGroup var user: UserOptions

    @Argument(help: "The provider's id, such as github.com.")
    var provider: String

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        try user.show(
            await admin.call { client throws(AdminClientError) in try await client.unlink(provider, of: user.key) },
            admin)
    }
}

struct AccountMergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merge an account into another one of the same person. This cannot be undone.",
        discussion: """
            Example: gatehouse account merge 5b1c0123456789abcdef0123456789ab \
                --into 9f2e0123456789abcdef0123456789ab --config config/gatehouse.yaml

            The linked identities move to the other account, which is printed. The sessions of the first one end, and \
            its uid is not used again. Move its data in your application.
            """)

    @OptionGroup var user: UserOptions

    @Option(help: ArgumentHelp("The uid of the account that remains.", valueName: "uid"))
    var into: String

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        try user.show(
            await admin.call { client throws(AdminClientError) in try await client.merge(user.key, into: into) },
            admin, of: into)
    }
}
