import Testing

@testable import Gatehouse
@testable import GatewayCore

struct FileWatchTests {
    private static let old = ["a": FileFingerprint(inode: 1), "b": FileFingerprint(inode: 2)]
    private static let new = ["a": FileFingerprint(inode: 3), "b": FileFingerprint(inode: 2)]
    private static let growing = (3..<7).map {
        ["a": FileFingerprint(inode: 3, size: $0), "b": FileFingerprint(inode: 2)]
    }

    @Test(arguments: [
        ([old, old], [false, false]), ([new, new], [false, true]), (growing, [false, false, false, false]),
        ([["b": FileFingerprint(inode: 2)], old, old], [false, false, false]),
    ])
    func `a change is reported when two checks agree`(files: [[String: FileFingerprint]], changes: [Bool]) {
        var watch = FileWatch(loaded: Self.old)
        let found = files.map { watch.lookUp($0) }
        #expect(found == changes)
    }

    @Test func `a failed file is not retried before it changes`() {
        var watch = FileWatch(loaded: Self.old)
        _ = (watch.lookUp(Self.new), watch.lookUp(Self.new))
        watch.tried(Self.new)
        let changes = [Self.new, Self.new, Self.old, Self.old].map { watch.lookUp($0) }
        #expect(changes == [false, false, false, true])
    }

    @Test func `a link has the fingerprint of its target`() throws {
        #expect(FileFingerprint(of: "/no/such/file") == nil)
        #expect(FileFingerprint(of: "/proc/self/exe") != nil)
        #expect(FileFingerprint(of: "/dev/null") != FileFingerprint(of: "/dev/zero"))
    }

    @Test func `every file that is read is recorded, including missing ones`() throws {
        let ledger = FileLedger()
        ledger.record { _ = try? BoundedFile.read("/no/such/file", atMost: 10) }
        _ = try? BoundedFile.read("/dev/null", atMost: 10)
        #expect(ledger.files == ["/no/such/file"])
    }
}
