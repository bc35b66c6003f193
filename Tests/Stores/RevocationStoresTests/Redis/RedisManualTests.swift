import Foundation
import GatewayConfiguration
import GatewayCore
import JOSE
import Redis
import Revocation
import Testing

@testable import RedisFixtures
@testable import RevocationStores
@testable import StoreFixtures
@testable import SystemFixtures

/// The commands in the manual for other backends and operators work.
@Suite(.closingStores) struct RedisManualTests {
    private let page: MarkdownPage

    init() throws { page = try MarkdownPage("docs/reference/redis.md") }

    /// The blocks of code after a comment.
    private func blocks(after comment: String) -> [String] {
        page.blocks.filter { $0.comment == comment }.map(\.text)
    }

    /// Runs shell commands. `redis-cli` is connected to the database.
    private func run(_ lines: String, _ database: RedisDatabase) throws -> String {
        let output = Pipe()
        let connected = "redis-cli() { command redis-cli -p \(database.server.port) -n \(database.number) \"$@\"; }\n"
        let process = try SpawnedProcess(
            "/usr/bin/env", ["bash", "-euc", connected + lines], output: .pipe(output), errors: .pipe(output))
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(process.wait() == 0, "\(text)")
        return text
    }

    @Test func `the lines for redis-cli revoke, disable and end a session`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        let lines = blocks(after: "A test runs these lines.")
        #expect(lines.count == 2)
        let before = GatewayClock.system.now()
        try database.cli("HSET", "gatehouse:session:{ada}:1700000000", "revoked", "0")
        try database.cli("EXPIRE", "gatehouse:session:{ada}:1700000000", "1000")
        let output = try run(lines.joined(), database)
        #expect(try database.cli("TTL", "gatehouse:session:{ada}:1700000000") == "-1", "a revocation never expires")
        let record = try await store.user("ada")
        #expect(!output.contains("ERR"))
        #expect(record.disabled && (before...GatewayClock.system.now()).contains(record.validSince?.seconds ?? 0))
        #expect(try await store.session("ada", "1700000000") == SessionRecord(revoked: true))
        try await eventually("the record in the gateway") {
            let user =
                try store.view.user("ada") == .record(validSince: record.validSince, disabled: true)
            return try user && store.view.session("ada", "1700000000") == .record(revoked: true, signedInAt: nil)
                ? true : nil
        }
    }

    @Test func `the lines for redis-cli never move a revocation to an earlier time`() async throws {
        let database = try await RedisDatabase.fresh()
        try database.cli("HSET", "gatehouse:user:{ada}", "valid_since", "99999999999")
        _ = try run(try #require(blocks(after: "A test runs these lines.").first), database)
        #expect(try database.cli("HGET", "gatehouse:user:{ada}", "valid_since") == "99999999999")
    }

    // MARK: - Rights

    /// The permissions of the manual's ACL rule, without its user and password.
    private func rights() throws -> [String] {
        let rule = try #require(blocks(after: "A test takes this rule.").first)
        let words = rule.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(words.prefix(4) == ["user", "gatehouse", "on", ">PASSWORD"])
        return Array(words.dropFirst(4))
    }

    private func account(_ rights: [String], _ database: RedisDatabase) throws -> RedisLocation.Account {
        let name = "manual-\(database.number)-user"
        let answer = try database.server.cli(["ACL", "SETUSER", name, "reset", "on", ">pw"] + rights)
        #expect(answer == "OK")
        return RedisLocation.Account(username: name, password: Secret("pw"))
    }

    @Test func `the permissions in a Redis Cluster suffice for every operation`() async throws {
        let setting = try await RedisClusterStores.fresh()
        let cluster = ["+cluster|slots", "+cluster|myid", "+cluster|nodes", "+asking"]
        #expect(page.text.contains("`\(cluster.joined(separator: " "))`"))
        let others = try rights().filter { $0 != "~gatehouse:*" && $0 != "+select" }
        for server in setting.cluster.servers {
            let rule = ["reset", "on", ">pw"] + others + cluster + ["~{\(setting.tag)}gatehouse:*"]
            let answer = try server.cli(["ACL", "SETUSER", "manual-\(setting.tag)"] + rule)
            #expect(answer == "OK")
        }
        let account = RedisLocation.Account(username: "manual-\(setting.tag)", password: Secret("pw"))
        let store = try setting.store(as: account)
        try await store.load()
        try await useEverything(store)
    }

    private func useEverything(_ store: RedisStore) async throws {
        let digest = try #require(SHA256Hasher()?.hash([1]))
        try await store.revoke("ann", at: 7)
        try await store.unrevoke("ann")
        try await store.setDisabled("ann", true)
        try await store.setDisabled("ann", false)
        try await store.revokeSession("ann", "1", expires: 4_000_000_000)
        try await store.recordSignIn("ann", "1", at: 5, expires: 4_000_000_001)
        _ = try await store.user("ann")
        _ = try await store.session("ann", "1")
        try await store.putNonce(digest, purpose: "any", lifetime: 60)
        _ = try await store.takeNonce(digest)
        _ = try await store.markSeen(digest, lifetime: 60)
        _ = try await store.isSeen(digest)
        try await store.putFlow(digest, of: digest, value: "v", lifetime: 60, now: 1_000)
        _ = try await store.takeFlow(digest, of: digest, now: 1_001)
        let uid = madeUID(1)
        try await store.releaseAll(of: uid)
        _ = try await store.claim(.apple("1"), for: uid)
        _ = try await store.release(provider: "apple.com", of: uid)
        let account = AccountRecord.made(madeUID(2), .apple("2"), email: "a@b.c")
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        try await store.setNameIfAbsent("Ann", of: account.uid)
        #expect(try await store.setProfile(ProfileChange(name: .removed), of: account.user))
        #expect(
            try await store.setEmail("b@b.c", verified: true, from: .apple("2"), of: account.uid, claimsEmail: true))
        #expect(try await store.deleteAccount(account.user, unlessChangedFrom: nil) == .deleted([.apple("2")]))
        _ = try await store.purge(now: 4_000_000_000)
        _ = try await store.setting("issuer", initial: [1])
        let rates = RedisRateStore(store.configuration, loop: RedisDatabase.loop, clock: .system, logger: .silent)
        for requests in [1, -1] {
            _ = try await rates.charge([.init(name: "l:route", requests: requests, interval: 9, longest: 99)])
        }
        await rates.close()
        try await writeBack(store)
        try await outbox(store)
    }

    private func outbox(_ store: RedisStore) async throws {
        store.outbox.set(.init(destinations: ["apple.com", "webhook"], limit: 9, reserve: 1, added: { _ in }))
        let user = madeUID(3)
        let account = AccountRecord.made(user, .apple("3"))
        #expect(try await store.createAccount(account, claimsEmail: false) == .created)
        for isRefreshToken in [true, false] {
            let token = try #require(KeptToken(isRefreshToken: isRefreshToken, sealed: "t"))
            try await store.keepToken(token, of: .apple("3"), for: account.user)
        }
        #expect(try await store.countRemoval(by: account.user))
        #expect(try await store.countLink(to: "c@b.c"))
        let ticket = EmailTicket(name: "t", previous: nil, event: #"{"type":"account.email_verification"}"#)
        #expect(try await store.openEmailChange(ticket, of: account.user) == .open)
        let change = EmailChange(previous: nil, email: "c@b.c", proof: .ticket("t"))
        #expect(try await store.changeEmail(change, of: account.user, claimsEmail: true) == .changed())
        #expect(try await store.deleteAccount(account.user, unlessChangedFrom: nil) == .deleted([.apple("3")]))
        for destination in ["apple.com", "webhook"] {
            let poll = try await store.pollOutbox(of: destination, by: "a", lease: 60, limit: 9)
            for message in poll.messages {
                try await store.postponeMessage(message, by: 1)
                try await store.parkMessage(message, for: .rejected)
            }
            _ = try await store.parkedMessages(of: destination, limit: 9)
            let reasons: Set<ParkedMessage.Reason> = [.rejected]
            #expect(try await store.retryMessages(of: destination, parkedFor: reasons, limit: 1) == 1)
            for message in try await store.pollOutbox(of: destination, by: "a", lease: 60, limit: 9).messages {
                try await store.removeMessage(message)
            }
            _ = try await store.discardMessages(of: destination, limit: 9)
            try await store.releaseOutbox(of: destination, by: "a")
        }
    }

    private func writeBack(_ store: RedisStore) async throws {
        store.writeBack.set(
            WriteBackSwitch.Policy(
                limit: 9, target: { WriteBackTarget(project: "my-app", tenant: $0.tenant) }, added: {}))
        for isDisabled in [true, false] {
            let outcome = try await store.setDisabled("ann", isDisabled).writeBack
            if outcome != .queued { throw StoreError(.cannotOpen, "the change is not queued") }
        }
        let entry = try #require(try await store.pollWriteBacks(by: "a", lease: 60, limit: 9).entries.first)
        try await store.postponeWriteBack(entry, by: 1)
        try await store.revoke("ann", at: 8)
        let poll = try await store.pollWriteBacks(by: "a", lease: 60, limit: 9)
        for entry in poll.entries { try await store.parkWriteBack(entry) }
        #expect(try await store.returnWriteBacks(WriteBackPart.allCases, of: ["my-app"]) > 0)
        for entry in try await store.pollWriteBacks(by: "a", lease: 60, limit: 9).entries {
            try await store.removeWriteBack(entry)
        }
        try await store.releaseWriteBacks(of: "a")
    }

    @Test func `the permissions in the manual are sufficient`() async throws {
        let database = try await RedisDatabase.fresh()
        try database.cli("SET", "gatehouse:user:{ann}", "x")
        try database.cli("SET", "gatehouse:session:{ann}:1", "x")
        let store = try await database.loadedStore(as: try account(rights(), database))
        #expect(try store.view.user("ann") == .faulty)
        try await store.unrevoke("ann")
        try await useEverything(store)
        try await store.revoke("ann", at: 9)
        #expect(try store.view.user("ann") == .record(validSince: 9, disabled: false))
        let log = try database.server.cli("ACL", "LOG")
        #expect(!log.contains("manual-\(database.number)-user"), "\(log)")
    }

    @Test(arguments: [
        "select", "hmget", "scan", "xinfo|stream", "xread", "xadd", "eval", "set", "get", "getdel", "hget", "hgetall",
        "hkeys", "hset", "hsetnx", "hdel", "type", "del", "persist", "expiretime", "expireat", "time", "zadd", "zcard",
        "zrange", "zrangebyscore", "zrem", "zscore",
    ])
    func `each permission in the manual is needed`(_ command: String) async throws {
        let database = try await RedisDatabase.fresh()
        let all = try rights()
        #expect(all.contains("+\(command)"))
        try database.cli("SET", "gatehouse:session:{ann}:1", "x")
        let store = try database.store(as: try account(all.filter { $0 != "+\(command)" }, database))
        let isLoaded = try await eventually("the records, or a refusal") {
            let (status, client) = (store.replica.status, store.commands.client.status)
            if status.isLoaded, client.state == .ready { return true }
            return status.lastFault != nil || client.failures > 0 ? false : nil as Bool?
        }
        if isLoaded {
            await #expect(throws: StoreError.self) { try await useEverything(store) }
        }
        try await store.close()
    }
}
