import GatewayCore
import Observability
import Synchronization
import Testing

@testable import AdminAPI

struct DecisionFeedTests {
    private let current: Viewers
    private let feed: DecisionFeed

    /// The viewers that the event loops have.
    private final class Viewers: Sendable {
        let list = Mutex<[DecisionViewer]>([])
        var count: Int { list.withLock { $0.count } }
    }

    init() {
        let current = Viewers()
        self.current = current
        feed = DecisionFeed { viewers in current.list.withLock { $0 = viewers } }
    }

    private func open(_ query: String = "") throws -> DecisionViewer {
        try feed.open(DecisionFilter(AdminQuery(target: "?\(query)")), generation: 3, at: 7)
    }

    private func offer(_ count: Int, to viewer: DecisionViewer, at now: UInt64 = 1) {
        for _ in 0..<count {
            var record = DecisionRecord(time: 0, requestID: "", code: .ok)
            viewer.offer(&record, at: now)
        }
    }

    private func taken(_ viewer: DecisionViewer, at now: UInt64 = 0) -> String {
        String(decoding: viewer.take(at: now).bytes, as: UTF8.self)
    }

    private func decisions(in text: String) -> Int { text.matches(of: /event: decision\n/).count }

    @Test func `a stream begins with its parameters`() throws {
        #expect(
            taken(try open("rate=5")) == "event: open\n"
                + #"data: {"now_ms":7,"masked":true,"rate":5,"generation":3}"# + "\n\n")
    }

    @Test func `event loops have viewers only while streams are open`() throws {
        #expect(current.count == 0)
        let viewers = try [open(), open()]
        #expect(current.count == 2 && feed.reading.viewers == 2)
        viewers[0].cancel()
        viewers[0].cancel()
        #expect(current.count == 1)
        viewers[1].cancel()
        #expect(current.count == 0 && feed.reading.viewers == 0)
    }

    @Test func `one more than the maximum number of viewers is refused until a stream ends`() throws {
        let viewers = try (0..<DecisionFeed.limit).map { _ in try open() }
        #expect(throws: AdministrationError.self) { try open() }
        viewers[3].cancel()
        _ = try open()
    }

    @Test func `viewers and one session leave streams to others`() throws {
        func open(_ session: String?, isViewer: Bool = false) throws -> DecisionViewer {
            var filter = DecisionFilter()
            filter.owner = DecisionFilter.Owner(session: session, isViewer: isViewer)
            return try feed.open(filter, generation: 3, at: 7)
        }
        let first = try (0..<DecisionFeed.sessionLimit).map { _ in try open("a", isViewer: true) }
        #expect(throws: AdministrationError.self) { try open("a", isViewer: true) }
        for _ in DecisionFeed.sessionLimit..<DecisionFeed.viewerLimit { _ = try open(nil, isViewer: true) }
        #expect(throws: AdministrationError.self) { try open("b", isViewer: true) }
        _ = try open("c")
        first[0].cancel()
        _ = try open("a", isViewer: true)
    }

    @Test func `decisions above the rate are counted, and the viewer is informed once a second`() throws {
        let viewer = try open("rate=3")
        offer(5, to: viewer, at: 5_000_000_000)
        let first = taken(viewer, at: 10)
        #expect(decisions(in: first) == 3)
        #expect(first.contains("event: skipped\n" + #"data: {"sampled":2,"dropped":0}"#))
        offer(2, to: viewer, at: 5_900_000_000)
        #expect(taken(viewer, at: 20) == "")
        #expect(taken(viewer, at: 1_000_000_010).contains(#"{"sampled":2,"dropped":0}"#))
        offer(2, to: viewer, at: 6_000_000_000)
        #expect(decisions(in: taken(viewer)) == 2)
        #expect(feed.reading.sampled == 4)
    }

    @Test func `a full queue drops events, counts them and loses none that it accepted`() throws {
        let viewer = try open("rate=200")
        for second in 1...10 as ClosedRange<UInt64> { offer(200, to: viewer, at: second * 1_000_000_000) }
        let text = taken(viewer)
        #expect(decisions(in: text) == DecisionViewer.eventLimit - 1)
        #expect(text.contains(#"{"sampled":0,"dropped":\#(2_000 - DecisionViewer.eventLimit + 1)}"#))
        offer(1, to: viewer, at: 60_000_000_000)
        #expect(decisions(in: taken(viewer)) == 1)
    }

    @Test func `the queue is bounded in bytes`() throws {
        let viewer = try open("rate=200&unmask=true")
        var record = DecisionRecord(time: 0, requestID: "", code: .ok)
        record.path = String(repeating: "a", count: 2_000)
        for _ in 0..<200 { viewer.offer(&record, at: 1) }
        #expect(viewer.take(at: 0).bytes.count <= DecisionViewer.byteLimit + 200)
    }

    @Test func `a viewer that ended accepts nothing`() throws {
        let viewer = try open()
        viewer.cancel()
        offer(3, to: viewer)
        #expect(viewer.take(at: 0).bytes.isEmpty)
    }

    @Test func `a reload is an event, and the shutdown ends all streams`() throws {
        let viewer = try open()
        feed.reloaded(generation: 4)
        #expect(taken(viewer).hasSuffix("event: configuration\n" + #"data: {"generation":4}"# + "\n\n"))
        offer(1, to: viewer)
        feed.close()
        let (bytes, isLast) = viewer.take(at: 0)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(isLast && decisions(in: text) == 1)
        #expect(text.hasSuffix("event: end\n" + #"data: {"reason":"shutdown"}"# + "\n\n"))
        #expect(throws: AdministrationError.self) { try open() }
    }
}
