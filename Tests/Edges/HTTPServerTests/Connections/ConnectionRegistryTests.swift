import GatewayCore
import Testing

@testable import CoreFixtures
@testable import HTTPServer

@Suite struct ConnectionRegistryTests {
    private let front = ConnectionContext(limits: ConnectionLimits(), clock: ManualClock().clock)

    private func handlers(_ count: Int) -> [ClientHandler] {
        (0..<count).map { _ in ClientHandler(front: front, peer: PeerAddress(nil)) }
    }

    @Test func whoLeavesIsForgottenInAnyOrder() {
        let handlers = handlers(5)
        for handler in handlers { front.registry.add(handler) }
        for index in [2, 0, 4, 1, 3] {
            front.registry.remove(handlers[index])
            #expect(!front.registry.connections.contains { $0 === handlers[index] })
        }
        #expect(front.registry.count == 0)
    }

    @Test func leavingTwiceHarmsNobody() {
        let handlers = handlers(2)
        for handler in handlers { front.registry.add(handler) }
        front.registry.remove(handlers[0])
        front.registry.remove(handlers[0])
        #expect(front.registry.count == 1)
        #expect(front.registry.connections[0] === handlers[1])
    }

    @Test func whoLeavesDuringAVisitDisturbsNoVisit() {
        let handlers = handlers(4)
        for handler in handlers { front.registry.add(handler) }
        var visits = 0
        front.registry.forEach {
            visits += 1
            front.registry.remove($0)
        }
        #expect(visits == 4)
    }
}
