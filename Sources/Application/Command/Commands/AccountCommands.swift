import ArgumentParser
import CivilCalendar
import Diagnostics
import GatewayCore

/// The account of a command.
struct AccountOptions: ParsableArguments {
    @Argument(help: "The account's uid.")
    var uid: String

    /// Prints an account.
    func show(_ reply: AdminClient.Reply<AdminClient.Account>, _ options: AdminOptions) throws(Refused) {
        guard !options.json else { return try Console.say(reply.json) }
        try Console.say("\(uid): \(Self.text(of: reply.record))")
    }

    private static func text(of account: AdminClient.Account) -> String {
        if let deleted = account.deleted { return "deleted at \(RFC3339.text(deleted))" }
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
        abstract: "Show, delete and unlink accounts, by the admin API of a running gateway.",
        discussion: "Example: gatehouse account show 5b1c0123456789abcdef0123456789ab --config config/gatehouse.yaml",
        subcommands: [AccountShowCommand.self, AccountDeleteCommand.self, AccountUnlinkCommand.self])
}

struct AccountShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print an account's address and linked providers. With --json, also its subjects there.",
        discussion: "Example: gatehouse account show 5b1c0123456789abcdef0123456789ab --config config/gatehouse.yaml")

    @OptionGroup var account: AccountOptions

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        try account.show(
            await admin.call { client throws(AdminClientError) in try await client.account(account.uid) }, admin)
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

    @OptionGroup var account: AccountOptions

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        try account.show(
            await admin.call { client throws(AdminClientError) in try await client.deleteAccount(account.uid) }, admin)
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

    @OptionGroup var account: AccountOptions

    @Argument(help: "The provider's id, such as github.com.")
    var provider: String

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        try account.show(
            await admin.call { client throws(AdminClientError) in
                try await client.unlink(provider, of: account.uid)
            }, admin)
    }
}
