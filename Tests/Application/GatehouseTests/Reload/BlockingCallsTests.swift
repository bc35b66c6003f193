import Dispatch
import Testing

@testable import Gatehouse

@Suite struct BlockingCallsTests {
    /// A timeout that the test triggers.
    private struct Clock {
        let expiries: AsyncStream<Void>
        let expire: AsyncStream<Void>.Continuation

        init() {
            (expiries, expire) = AsyncStream.makeStream()
        }

        func calls() -> BlockingCalls {
            BlockingCalls(wait: { [expiries] _ in for await _ in expiries { return } })
        }
    }

    @Test func `a call returns its result`() async throws {
        #expect(try await Clock().calls().run { 7 } == 7)
    }

    @Test func `a call throws what its body throws`() async {
        await #expect(throws: CancellationError.self) { try await Clock().calls().run { throw CancellationError() } }
    }

    @Test func `a call that hangs is abandoned and blocks no thread of other tasks`() async throws {
        let (clock, release) = (Clock(), DispatchSemaphore(value: 0))
        let calls = clock.calls()
        // There are more calls than threads for tasks.
        let hanging = (0..<64).map { _ in
            Task { try await calls.run { release.wait() } }
        }
        #expect(await Task.detached { 7 }.value == 7)
        clock.expire.yield()
        var refusals: [String] = []
        for call in hanging {
            do { try await call.value } catch { refusals.append("\(error)") }
        }
        #expect(refusals.count == 64)
        #expect(refusals.filter { $0.contains("took longer than 30 s") }.count == 1)
        #expect(refusals.filter { $0.contains("an earlier reload is still reading its files") }.count == 63)
        release.signal()
        // The thread becomes free shortly after.
        while (try? await calls.run { 7 }) == nil { await Task.yield() }
    }
}
