import ArgumentParser
import CivilCalendar
import Diagnostics
import GatewayCore
import Revocation

struct AccountListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the accounts in parts, deleted ones included.",
        discussion: """
            Example: gatehouse account list --limit 100 --config config/gatehouse.yaml

            The last line has the option of the next part, if there is one. A part can have fewer accounts than the \
            limit, also none.
            """)

    @Option(help: ArgumentHelp("The number of accounts of a part, 1 to 100.", valueName: "number"))
    var limit = 50

    @Option(help: ArgumentHelp("The cursor that the part before ended with.", valueName: "cursor"))
    var cursor: String?

    @OptionGroup var admin: AdminOptions

    func validate() throws {
        guard 1...StoreBounds.maximumAccountPage ~= limit else {
            throw ValidationError("--limit is a number from 1 to \(StoreBounds.maximumAccountPage)")
        }
    }

    func run() async throws {
        let reply = try await admin.call { client throws(AdminClientError) in
            try await client.accounts(after: cursor, limit: limit)
        }
        guard !admin.json else { return try Console.say(reply.json) }
        var table = TextTable(header: ["UID", "STATE", "EMAIL", "PROVIDERS"])
        for account in reply.record.accounts {
            table.add([
                account.user.shown, Self.state(of: account), account.email ?? "-",
                account.providers.isEmpty ? "-" : account.providers.joined(separator: ", "),
            ])
        }
        for line in table.lines { try Console.say(line) }
        try Console.say(reply.record.next.map { "next: --cursor \($0)" } ?? "no more accounts")
    }

    private static func state(of account: ListedAccount) -> String {
        if account.isFaulty { return "invalid data in the store" }
        if let deleted = account.deleted { return "deleted at \(RFC3339.text(deleted))" }
        return account.created.map { "created at \(RFC3339.text($0))" } ?? "links only"
    }
}

struct AccountSearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Print the user whose account has an e-mail address or a linked identity.",
        discussion: """
            Example: gatehouse account search --email ada@example.com --config config/gatehouse.yaml

            An address is found with one account per address only (accounts.one_account_per_email).
            """)

    @Option(help: ArgumentHelp("The e-mail address.", valueName: "address"))
    var email: String?

    @Option(help: ArgumentHelp("The provider of the identity, such as github.com.", valueName: "id"))
    var provider: String?

    @Option(help: ArgumentHelp("The user at the provider.", valueName: "subject"))
    var subject: String?

    @OptionGroup var admin: AdminOptions

    func validate() throws {
        guard (email == nil) == (provider != nil), (provider == nil) == (subject == nil) else {
            throw ValidationError("write --email ADDRESS, or --provider ID and --subject SUBJECT")
        }
    }

    func run() async throws {
        let reply = try await admin.call { client throws(AdminClientError) in
            if let provider, let subject {
                return try await client.find(IdentityLink(provider: provider, subject: subject))
            }
            return try await client.find(email: email ?? "")
        }
        guard !admin.json else { return try Console.say(reply.json) }
        guard !reply.record.isEmpty else {
            throw Refused("no account has it; check the spelling, or look through gatehouse account list")
        }
        for user in reply.record { try Console.say(user.shown) }
    }
}

struct AccountSessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Print the sessions of the gateway that a user has, the latest use first.",
        discussion: """
            Example: gatehouse account sessions 5b1c0123456789abcdef0123456789ab --config config/gatehouse.yaml

            End one with gatehouse account end-session, all of them with gatehouse user revoke. Tokens of Firebase and \
            of providers are not in the list.
            """)

    @OptionGroup var user: UserOptions

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        let reply = try await admin.call { client throws(AdminClientError) in try await client.sessions(of: user.key) }
        guard !admin.json else { return try Console.say(reply.json) }
        guard !reply.record.isEmpty else { return try Console.say("\(user.shown): no sessions") }
        var table = TextTable(header: ["SESSION", "STARTED", "LAST USED", "ENDS", "PROVIDER", "PROOF", "USER AGENT"])
        for session in reply.record {
            let times = [session.started, session.lastUsed, session.ends].map { $0.map { RFC3339.text($0) } ?? "-" }
            table.add(
                [session.id] + times + [session.provider ?? "-", session.proof ?? "-", session.userAgent ?? "-"])
        }
        for line in table.lines { try Console.say(line) }
    }
}

struct AccountEndSessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end-session",
        abstract: "End one session of a user on every gateway. Other sessions continue.",
        discussion: """
            Example: gatehouse account end-session 5b1c0123456789abcdef0123456789ab \
                0d4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b --config config/gatehouse.yaml
            """)

    @OptionGroup var user: UserOptions

    @Argument(help: "The session as printed by gatehouse account sessions.")
    var session: String

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        let reply = try await admin.call { client throws(AdminClientError) in
            try await client.revokeSession(user.key, session)
        }
        try Console.say(admin.json ? reply.json : "\(user.shown), session \(session): ended")
    }
}
