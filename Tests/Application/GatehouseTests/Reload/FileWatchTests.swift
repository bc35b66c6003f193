import Testing

@testable import Gatehouse
@testable import GatewayCore

struct FileWatchTests {
    private let old = ["a": FileFingerprint(inode: 1), "b": FileFingerprint(inode: 2)]
    private let new = ["a": FileFingerprint(inode: 3), "b": FileFingerprint(inode: 2)]

    @Test func whatIsAsItWasReadIsNoNews() {
        var watch = FileWatch(loaded: old)
        let looks = [watch.look(old), watch.look(old)]
        #expect(looks == [false, false])
    }

    @Test func aChangeCountsOnceTwoLooksSawTheSame() {
        var watch = FileWatch(loaded: old)
        let looks = [watch.look(new), watch.look(new)]
        #expect(looks == [false, true])
    }

    @Test func aFileThatIsBeingWrittenIsLeftAlone() {
        var watch = FileWatch(loaded: old)
        let looks = (3..<7).map {
            watch.look(["a": FileFingerprint(inode: 3, size: $0), "b": FileFingerprint(inode: 2)])
        }
        #expect(looks == [false, false, false, false])
    }

    @Test func aFileThatIsGoneForAMomentIsNoNews() {
        var watch = FileWatch(loaded: old)
        let looks = [watch.look(["b": FileFingerprint(inode: 2)]), watch.look(old), watch.look(old)]
        #expect(looks == [false, false, false])
    }

    @Test func whatWasTriedIsNotTriedAgainBeforeItChanges() {
        var watch = FileWatch(loaded: old)
        _ = (watch.look(new), watch.look(new))
        watch.tried(new)
        let looks = [watch.look(new), watch.look(new), watch.look(old), watch.look(old)]
        #expect(looks == [false, false, false, true])
    }

    @Test func aLinkCountsAsWhatItPointsTo() throws {
        #expect(FileFingerprint(of: "/no/such/file") == nil)
        #expect(FileFingerprint(of: "/proc/self/exe") != nil)
        #expect(FileFingerprint(of: "/dev/null") != FileFingerprint(of: "/dev/zero"))
    }

    @Test func everyFileThatIsReadIsNotedAlsoOneThatIsNotThere() throws {
        let ledger = FileLedger()
        ledger.record { _ = try? BoundedFile.read("/no/such/file", atMost: 10) }
        _ = try? BoundedFile.read("/dev/null", atMost: 10)
        #expect(ledger.files == ["/no/such/file"])
    }
}
