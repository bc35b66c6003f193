import GatewayConfiguration
import GatewayCore
import Revocation
import Testing

@testable import RedisFixtures
@testable import RevocationStores
@testable import StoreFixtures
@testable import SystemFixtures

/// A store whose credentials change while it is used, with a server that ends connections with expired ones.
@Suite(.closingStores) struct ChangingPasswordTests {
    private static let rules = "on ~* &* +@all"

    private static func store(_ server: RedisServer, _ account: RedisLocation.Account) throws -> RedisStore {
        var timeouts = RedisLocation.Timeouts.patient
        timeouts.passwordFile = .milliseconds(20)
        return try RedisDatabase(server: server, number: 0).store(
            as: account, maxStaleness: .seconds(1), timeouts: timeouts)
    }

    /// The ids and users of the connections of the store.
    private static func connections(to server: RedisServer) throws -> [String: String] {
        let pairs = try server.cli("CLIENT", "LIST").split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            let id = fields.first { $0.hasPrefix("id=") }?.dropFirst(3)
            let user = fields.first { $0.hasPrefix("user=") }?.dropFirst(5)
            return id.flatMap { id in user.map { (String(id), String($0)) } }
        }
        return Dictionary(pairs, uniquingKeysWith: { $1 }).filter { $0.value != "default" }
    }

    @Test func `a password that changes in its file loses no write and no connection`() async throws {
        let server = try await RedisServer(["user one >1 \(Self.rules)"])
        let folder = try ScratchFolder()
        let file = folder.path("password")
        try folder.write(#"{"username": "one", "password": "1"}"#, to: "password")
        let store = try Self.store(server, .init(password: .file(file)))
        try await store.load()
        let connections = Set(try Self.connections(to: server).keys)
        #expect(connections.count == 2)
        let writer = Task {
            var written = 0
            while !Task.isCancelled {
                try await store.revoke("user-\(written)", at: 7)
                written += 1
            }
            return written
        }
        var last = "one"
        for next in ["two", "three", "four"] {
            try server.cli(["ACL", "SETUSER", next, ">\(next)"] + Self.rules.split(separator: " ").map(String.init))
            try folder.write(#"{"username": "\#(next)", "password": "\#(next)"}"#, to: "password")
            try await eventually("all connections to authenticate as \(next)") {
                try Self.connections(to: server).values.allSatisfy { $0 == next } ? true : nil
            }
            // The server closes the connections of the earlier user.
            try server.cli("ACL", "DELUSER", last)
            last = next
        }
        writer.cancel()
        let written = try await writer.value
        #expect(written > 0)
        #expect(try (0..<written).allSatisfy { try store.view.user("user-\($0)") == .since(7) })
        #expect(Set(try Self.connections(to: server).keys) == connections)
    }

    @Test func `a program is run again before its password expires`() async throws {
        let server = try await RedisServer(["user gateway >0 \(Self.rules)"])
        let folder = try ScratchFolder()
        try folder.write("0", to: "number")
        // Each password is one of its own, which expires in a second.
        let script = """
            echo $(($(cat number) + 1)) > number.new && mv number.new number
            redis-cli -p \(server.port) ACL SETUSER gateway ">$(cat number)" > /dev/null
            printf '{"username": "gateway", "password": "%s", "expires_at": %s}' $(cat number) 1700000001
            """
        let command = ["/bin/sh", "-c", "cd \(folder.path) && \(script)"]
        let store = try Self.store(server, .init(password: .command(command, every: .seconds(60))))
        try await store.load()
        try await store.revoke("ada", at: 7)
        try await eventually("the third run") { (Int(folder.read("number").trimmed) ?? 0) >= 3 ? true : nil }
        try server.cli("ACL", "SETUSER", "gateway", "<1")
        try await store.revoke("bob", at: 7)
        #expect(store.replica.status.rereads == ["first": 1])
    }

    @Test func `a missing file is a problem that ends when the file is there`() async throws {
        let server = try await RedisServer(["user gateway >secret \(Self.rules)"])
        let folder = try ScratchFolder()
        let store = try Self.store(server, .init(username: "gateway", password: .file(folder.path("password"))))
        try await eventually("the problem") { store.trouble?.contains("password_file") == true ? true : nil }
        try folder.write("wrong\n", to: "password")
        try await eventually("the rejection") { store.trouble?.contains("rejected the user") == true ? true : nil }
        try folder.write("secret\n", to: "password")
        try await store.load()
    }

    @Test func `a diagnosis uses the password of the file`() async throws {
        let server = try await RedisServer(["user gateway >secret \(Self.rules)"])
        let folder = try ScratchFolder()
        try folder.write("secret\n", to: "password")
        var location = RedisDatabase(server: server, number: 0).location
        location.account = .init(username: "gateway", password: .file(folder.path("password")))
        let records = try await RedisLookup.records(location, of: UserKey("ada"), session: nil)
        #expect(records.user == .none)
    }
}

extension String {
    fileprivate var trimmed: Substring { prefix { $0.isNumber } }
}
