import Foundation
import GatewayConfiguration
import GatewayCore
import Revocation
import Testing

@testable import RedisFixtures
@testable import RevocationStores
@testable import StoreFixtures
@testable import SystemFixtures

/// The file of the view, and starts with it.
@Suite(.closingStores) struct SavedViewTests {
    private static let position = SavedPosition(
        position: ReplicaPosition(id: .at(7), added: 3, shown: .at(6)),
        server: ReplicaIdentity(names: [[1, 255], []], isMaster: true))

    private static func view(_ count: Int) throws -> StoreView {
        let view = StoreView()
        let keys = try StoreKeyMaker()
        for number in 0..<count {
            let user = UserKey("user-\(number)")
            view.setUser(
                try keys.key(of: user), to: RecordWord(UserRecord(validSince: UnixTime(Int64(number)), disabled: true)))
            view.setSession(
                try keys.key(of: user, session: "5"), to: RecordWord(SessionRecord(revoked: true)))
        }
        return view
    }

    @Test(arguments: [0, 1, 1000]) func `a file has all records and the position`(count: Int) throws {
        let folder = try ScratchFolder()
        let file = SavedView(path: folder.path("view"), store: "redis://h")
        #expect(try file.load(into: StoreView()) == nil)
        try file.write(try Self.view(count), Self.position)
        let view = StoreView()
        #expect(try file.load(into: view) == Self.position)
        #expect(view.usage.users == count && view.usage.sessions == count)
        for number in 0..<count {
            #expect(
                try view.user("user-\(number)") == .record(validSince: UnixTime(Int64(number)), disabled: true))
            #expect(try view.session("user-\(number)", "5") == .record(revoked: true, signedInAt: nil))
        }
        #expect(view.age(monotonicNow: 0) == nil)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(!FileManager.default.fileExists(atPath: file.path + ".new"))
    }

    @Test func `a changed or missing byte is found before the view changes`() throws {
        let folder = try ScratchFolder()
        let file = SavedView(path: folder.path("view"), store: "redis://h")
        try file.write(try Self.view(3), Self.position)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
        let view = StoreView()
        func check(_ damaged: Data) throws {
            try damaged.write(to: URL(fileURLWithPath: file.path))
            #expect(throws: SavedView.Failure.self) { try file.load(into: view) }
        }
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1
            try check(damaged)
        }
        for size in stride(from: 0, to: bytes.count, by: 7) { try check(bytes.prefix(size)) }
        #expect(view.usage.users == 0 && view.usage.sessions == 0)
    }

    @Test func `a block that was removed or moved is found`() throws {
        let folder = try ScratchFolder()
        let file = SavedView(path: folder.path("view"), store: "redis://h")
        try file.write(try Self.view(200), Self.position)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
        // The end of each block: kind, size, payload, checksum.
        var ends = [SavedView.magic.count]
        while let start = ends.last, start < bytes.count {
            let size = (1...4).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * ($1 - 1)) }
            ends.append(start + 5 + size + 32)
        }
        try #require(ends.count > 5)
        let removed = bytes[..<ends[2]] + bytes[ends[3]...]
        let swapped = bytes[..<ends[2]] + bytes[ends[3]..<ends[4]] + bytes[ends[2]..<ends[3]] + bytes[ends[4]...]
        for damaged in [removed, swapped] {
            try Data(damaged).write(to: URL(fileURLWithPath: file.path))
            #expect(throws: SavedView.Failure("\(file.path) is damaged or incomplete")) {
                try file.load(into: StoreView())
            }
        }
    }

    @Test func `a file of another store or with other writers is not used`() throws {
        let folder = try ScratchFolder()
        let file = SavedView(path: folder.path("view"), store: "redis://h")
        try file.write(try Self.view(1), Self.position)
        let other = SavedView(path: file.path, store: "redis://other")
        #expect(throws: SavedView.Failure("\(file.path) belongs to another store")) {
            try other.load(into: StoreView())
        }
        chmod(file.path, 0o620)
        #expect(throws: SavedView.Failure.self) { try file.load(into: StoreView()) }
        let inFolder = SavedView(path: folder.path, store: "redis://h")
        #expect(throws: SavedView.Failure.self) { try inFolder.load(into: StoreView()) }
        #expect(throws: SavedView.Failure.self) { try inFolder.write(try Self.view(1), Self.position) }
    }

    // MARK: - Starts

    private static func store(_ database: RedisDatabase, _ folder: ScratchFolder) async throws -> RedisStore {
        var location = database.location
        location.viewFile = folder.path("view")
        let store = try RedisStore(location, maxStaleness: .seconds(1), loop: RedisDatabase.loop, logger: .silent)
        OpenedStores.current?.add(store)
        try await store.load()
        return store
    }

    @Test func `a start follows the changes since the file, without a reading`() async throws {
        let (database, folder) = (try await RedisDatabase.fresh(), try ScratchFolder())
        let first = try await Self.store(database, folder)
        #expect(first.replica.status.rereads == ["first": 1])
        try await first.revoke("ada", at: 7)
        try await first.revoke("eve", at: 7)
        try await first.revokeSession("bob", "5")
        try await first.close()
        try database.cli("HSET", "gatehouse:user:{cid}", "disabled", "1")
        try database.cli("XADD", "gatehouse:changes", "*", "uid", "cid", "disabled", "1")
        try database.cli("DEL", "gatehouse:user:{eve}")
        try database.cli("XADD", "gatehouse:changes", "*", "uid", "eve", "valid_since", "")

        let second = try await Self.store(database, folder)
        #expect(second.replica.status.rereads.isEmpty)
        #expect(try second.view.user("ada") == .since(7))
        #expect(try second.view.session("bob", "5") == .record(revoked: true, signedInAt: nil))
        #expect(try second.view.user("cid") == .record(validSince: nil, disabled: true))
        #expect(try second.view.user("eve") == .none)
        #expect(second.view.kept.users + second.view.kept.sessions == 0)
    }

    @Test func `a start after a trimmed stream reads everything and drops withdrawn records`() async throws {
        let (database, folder) = (try await RedisDatabase.fresh(), try ScratchFolder())
        let first = try await Self.store(database, folder)
        try await first.revoke("ada", at: 7)
        try await first.revoke("eve", at: 7)
        try await first.close()
        try database.cli("DEL", "gatehouse:user:{eve}")
        for _ in 0..<3 { try database.cli("XADD", "gatehouse:changes", "*", "uid", "eve", "valid_since", "") }
        try database.cli("XTRIM", "gatehouse:changes", "MAXLEN", "1")

        let second = try await Self.store(database, folder)
        try await eventually("the removal") { try second.view.user("eve") == .none ? true : nil }
        #expect(second.replica.status.gaps == 1)
        #expect(try second.view.user("ada") == .since(7))
        #expect(second.view.kept.users + second.view.kept.sessions == 0)
    }

    @Test func `a start with an emptied Redis enforces the records of the file`() async throws {
        let (database, folder) = (try await RedisDatabase.fresh(), try ScratchFolder())
        let first = try await Self.store(database, folder)
        try await first.revoke("ada", at: 7)
        try await first.close()
        try database.cli("FLUSHDB")
        let second = try await Self.store(database, folder)
        #expect(try second.view.user("ada") == .since(7))
        try await eventually("the loss") { second.health?.loss.users == 1 ? true : nil }
    }
}
