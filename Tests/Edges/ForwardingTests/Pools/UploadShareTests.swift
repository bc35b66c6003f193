import Testing

@testable import Forwarding

/// Requests whose bodies have not come hold a part of the pool only.
@Suite struct UploadShareTests {
    typealias Machine = UpstreamPoolMachine<Int, String>

    private var machine = Machine(servers: 1, limit: 4, waitingLimit: 8)

    /// A pool of four with as many uploads as it takes.
    private mutating func fill() {
        for _ in 1...3 { _ = machine.acquire(isUpload: true) }
    }

    @Test(arguments: [(1, 1), (2, 1), (3, 2), (4, 3), (5, 3), (8, 6), (256, 192)])
    func isThreeQuartersAndAtLeastOne(total: Int, share: Int) {
        #expect(UploadShare.of(total) == share)
    }

    @Test mutating func anUploadBeyondTheShareWaitsAndOthersPass() {
        fill()
        #expect("\(machine.acquire("upload", isUpload: true))" == "wait")
        #expect("\(machine.acquire("get"))" == "connect(server: 0)")
        #expect(machine.uploads == 3)
    }

    @Test mutating func whatIsReleasedPassesByTheUploadsThatMayNotHaveIt() {
        fill()
        _ = machine.acquire("upload", isUpload: true)
        _ = machine.acquire("first")
        _ = machine.acquire("second")
        #expect(machine.serves(9) == "second")
        #expect(machine.serves(9) == nil)
        #expect(machine.waiting == 1)
    }

    @Test mutating func theEndOfABodyLetsTheNextUploadHaveAnIdleConnection() {
        fill()
        _ = machine.acquire("get")
        _ = machine.acquire("upload", isUpload: true)
        #expect(machine.serves(9) == nil)
        machine.uploadEnded()
        #expect(machine.nextText() == "use(9, upload)")
        #expect(machine.nextText() == nil)
        #expect(machine.uploads == 3)
    }

    @Test mutating func theEndOfABodyLetsTheNextUploadConnect() {
        fill()
        _ = machine.acquire("upload", isUpload: true)
        machine.uploadEnded()
        #expect(machine.nextText() == "connect(0, upload)")
        #expect(machine.open == 4)
    }

    @Test mutating func theEndOfAnUploadsConnectionLetsTheNextHaveItsPlace() {
        fill()
        _ = machine.acquire("upload", isUpload: true)
        machine.closed(isUpload: true)
        #expect(machine.nextText() == "connect(0, upload)")
        #expect(machine.uploads == 3)
    }

    @Test mutating func inAFullPoolTheFirstIsServedFirstWhateverItIs() {
        for _ in 1...4 { _ = machine.acquire() }
        _ = machine.acquire("upload", isUpload: true)
        _ = machine.acquire("get")
        #expect(machine.serves(1) == "upload")
        #expect(machine.serves(2) == "get")
    }

    @Test mutating func anUploadThatHasArrivedMeanwhileIsNoneAnyMore() {
        fill()
        for name in ["a", "b"] { _ = machine.acquire(name, isUpload: true) }
        machine.uploadsArrived { $0 == "b" }
        #expect(machine.nextText() == "connect(0, b)")
        #expect(machine.uploads == 3)
        #expect(machine.nextText() == nil)
    }

    @Test mutating func uploadsHaveAPartOfTheWaitingPlacesOnly() {
        fill()
        _ = machine.acquire()
        for _ in 1...6 { #expect("\(machine.acquire(isUpload: true))" == "wait") }
        #expect("\(machine.acquire(isUpload: true))" == "refuse")
        for _ in 1...2 { #expect("\(machine.acquire())" == "wait") }
        #expect("\(machine.acquire())" == "refuse")
    }

    @Test mutating func aPoolOfOneTakesUploads() {
        machine = Machine(servers: 1, limit: 1, waitingLimit: 8)
        #expect("\(machine.acquire(isUpload: true))" == "connect(server: 0)")
        #expect("\(machine.acquire())" == "wait")
    }
}
