import Testing

@testable import Forwarding

/// Random events against a pool, and what must hold after each.
@Suite struct UpstreamPoolFuzzTests {
    /// The pool's owner: what it was given and has not returned.
    private struct Owner {
        var machine = UpstreamPoolMachine<Int, String>(servers: 2, limit: 4, waitingLimit: 4)
        /// The lent connections; true: to an upload.
        var lent: [Bool] = []
        var idle: [Int: Int] = [:]
        var names = 0

        mutating func took(_ connection: Int?, isUpload: Bool) {
            if let connection { idle[connection] = nil }
            lent.append(isUpload)
        }

        mutating func acquire(reuse: Bool, isUpload: Bool) {
            names += 1
            switch machine.acquire("\(names)", reuse: reuse, isUpload: isUpload) {
            case .use(let id), .replace(let id, _): took(id, isUpload: isUpload)
            case .connect: took(nil, isUpload: isUpload)
            case .wait, .refuse: break
            }
        }

        mutating func serveWaiting() {
            while let next = machine.next() {
                switch next {
                case .use(let id, let entry): took(id, isUpload: entry.isUpload)
                case .connect(_, let entry): took(nil, isUpload: entry.isUpload)
                }
            }
        }

        mutating func endUpload(at index: Int) {
            guard lent[index] else { return }
            lent[index] = false
            machine.uploadEnded()
            serveWaiting()
        }

        mutating func release(at index: Int) {
            endUpload(at: index)
            lent.remove(at: index)
            names += 1
            switch machine.released(names, server: names % 2, now: 0) {
            case .kept: idle[names] = names % 2
            case .serve(let entry): lent.append(entry.isUpload)
            case .close: break
            }
        }

        mutating func close(at index: Int) {
            machine.closed(isUpload: lent.remove(at: index))
            serveWaiting()
        }

        mutating func closeIdle() {
            guard let (id, server) = idle.first else { return }
            idle[id] = nil
            machine.idleClosed(id, server: server)
            serveWaiting()
        }
    }

    @Test func anyOrderOfEventsKeepsTheCounts() {
        var random = SystemRandomNumberGenerator()
        var owner = Owner()
        for _ in 0..<20_000 {
            let index = owner.lent.indices.randomElement(using: &random)
            switch (Int.random(in: 0..<8, using: &random), index) {
            case (0...3, _):
                owner.acquire(reuse: Bool.random(using: &random), isUpload: Bool.random(using: &random))
            case (4, let index?): owner.endUpload(at: index)
            case (5, let index?): owner.release(at: index)
            case (6, let index?): owner.close(at: index)
            case (7, _): owner.closeIdle()
            default: break
            }
            check(owner)
        }
    }

    private func check(_ owner: Owner) {
        #expect(owner.machine.open == owner.lent.count + owner.idle.count)
        #expect(owner.machine.idleCount == owner.idle.count)
        #expect(owner.machine.uploads == owner.lent.filter { $0 }.count)
        #expect(owner.machine.open <= 4)
        #expect(owner.machine.uploads <= 3)
        #expect(owner.machine.waiting <= 4)
        // Nobody waits for what is there.
        var copy = owner.machine
        #expect(copy.nextText() == nil)
    }
}
