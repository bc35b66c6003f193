import GatewayCore
import Redis
package import Revocation

/// The list of accounts by `SCAN`, which blocks the server only for the keys of one call, and needs no index.
///
/// A cursor of Redis is valid in one process only, since each has another order. The cursor of a part therefore begins
/// with the identifier of the process.
extension RedisStore: AccountAdministrationStore {
    /// Returns a part of the list, read from Redis.
    package func accounts(after cursor: String?, limit: Int) async throws(StoreError) -> AccountPage {
        try StoreBounds.check(page: limit)
        var scan = try RedisAccountScan(cursor, limit: limit, prefix: configuration.keyspace?.prefix ?? [])
        return try await commands.run { () async throws(StoreError) in
            let process = try await Self.process(commands.send(RedisCommand(["INFO", "server"]), faulty: nil))
            guard scan.begin(in: process) else { throw .unknownCursor() }
            while let command = scan.command {
                try scan.take(await commands.send(command, faulty: nil).first)
            }
            return AccountPage(accounts: try await listed(scan.users), next: scan.next)
        }
    }

    /// Returns the identifier of the server's process. Empty for a server that does not report it.
    private static func process(_ replies: [RedisValue]) -> String {
        let lines = replies.first?.text?.split(whereSeparator: \.isNewline) ?? []
        let line = lines.first { $0.utf8.starts(with: "run_id:".utf8) }
        return String(line?.dropFirst("run_id:".count).prefix(RedisAccountScan.processSize) ?? "")
    }

    /// Reads what the list has of accounts. The subjects and tokens of links are not read.
    private func listed(_ users: [UserKey]) async throws(StoreError) -> [ListedAccount] {
        let reads = users.map { user in
            RedisCommand.hmget(RedisKeys.account(user), ["email", "name", "created", "deleted"])
                + RedisCommand(["HKEYS", RedisKeys.account(user)])
        }
        guard let first = reads.first else { return [] }
        let replies = try await commands.send(reads.dropFirst().reduce(first, +), faulty: RedisAccount.faulty())
        guard replies.count == 2 * users.count else { throw .unexpectedReply() }
        var accounts: [ListedAccount] = []
        for (place, user) in users.enumerated() {
            let account = try ListedAccount(user, [replies[2 * place]].fields(4), fields: replies[2 * place + 1])
            if account.saysAnything { accounts.append(account) }
        }
        return accounts
    }
}

extension ListedAccount {
    /// - Parameter fields: The names of all fields of the account's hash.
    fileprivate init(_ user: UserKey, _ values: [RedisValue], fields: RedisValue) throws(StoreError) {
        guard case .array(let names) = fields else { throw .unexpectedReply() }
        let created = StoredField<UnixTime?>(time: values[2])
        guard let created = created.value else {
            self.init(user: user, isFaulty: true)
            return
        }
        let prefix = "link:"
        let providers = names.compactMap(\.text).filter { $0.utf8.starts(with: prefix.utf8) }
        self.init(
            user: user, email: values[0].text, name: values[1].text, created: created,
            // As of a deletion, an invalid time counts as 0.
            deleted: StoredField<UnixTime?>(time: values[3]).value ?? 0,
            providers: providers.map { String($0.dropFirst(prefix.count)) }.sorted())
    }
}

/// One part of a listing by `SCAN`: the state between its calls, without I/O.
struct RedisAccountScan {
    /// The maximum number of calls of one part, and of keys that one call examines.
    static let maximumCalls = 64
    static let maximumCount = 1_000
    /// The number of characters of the identifier of the process in a cursor.
    static let processSize = 16

    private let limit: Int
    /// The prefix of all keys, which is added to the pattern and not removed from the keys of a reply.
    private let prefix: [UInt8]
    private var process: String
    /// The cursor of Redis, decimal digits.
    private var position: String
    private var isAtEnd = false
    private var calls = 0
    private var examined = 0
    private(set) var users: [UserKey] = []

    /// - Parameter cursor: The cursor of the part before: the identifier of the process, `-` and the cursor of Redis.
    init(_ cursor: String?, limit: Int, prefix: [UInt8] = []) throws(StoreError) {
        self.limit = limit
        self.prefix = prefix
        (process, position) = ("", "0")
        guard let cursor else { return }
        let parts = cursor.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let number = UInt64(parts[1]), number != 0, "\(number)".isExactly(String(parts[1]))
        else {
            throw .unknownCursor()
        }
        (process, position) = (String(parts[0]), "\(number)")
    }

    /// Begins in a process of the server. Returns `false` if the cursor is of another one.
    mutating func begin(in current: String) -> Bool {
        guard position != "0" else {
            process = current
            return true
        }
        return process.isExactly(current)
    }

    /// The next call. `nil` if the part is complete.
    var command: RedisCommand? {
        guard !isAtEnd, users.count < limit, calls < Self.maximumCalls else { return nil }
        return RedisCommand(["SCAN", position, "MATCH", RedisKeys.accountPattern, "COUNT", count, "TYPE", "hash"])
    }

    /// The number of keys to examine, so that they contain about as many accounts as are missing.
    private var count: Int {
        let missing = limit - users.count
        return examined == 0 ? missing : min(max(missing * examined / (users.count + 1), 1), Self.maximumCount)
    }

    /// Takes the reply to `command`.
    mutating func take(_ reply: RedisValue?) throws(StoreError) {
        guard case .array(let parts)? = reply, parts.count == 2, let next = parts[0].text, UInt64(next) != nil,
            case .array(let keys) = parts[1]
        else { throw .unexpectedReply() }
        examined += count
        calls += 1
        for case .string(let key) in keys {
            guard key.starts(with: prefix), let user = RedisKeys.user(ofAccount: Array(key.dropFirst(prefix.count))),
                !users.contains(user)
            else { continue }
            users.append(user)
        }
        position = next
        isAtEnd = next == "0"
    }

    /// The cursor of the next part. `nil` at the end.
    var next: String? { isAtEnd ? nil : "\(process)-\(position)" }
}
