import DevelopmentIdentity
import GatewayCore
import RequestPipeline
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP

/// The bounds of flows: values by network and in total, and redemptions of codes by provider.
@Suite(.timeLimit(.minutes(2))) struct FlowBoundTests {
    private static let second: UInt64 = 1_000_000_000
    private static let start = 1_000 * second
    private static let share = FlowBudget.limit / 16

    /// The addresses 10.0.NETWORK.HOST.
    private static func address(_ network: UInt32, _ host: UInt32 = 1) -> PeerNetwork {
        .version4((0x0A00_0000 | network << 8 | host).bigEndian)
    }

    /// Returns the seconds to wait if the budget has no value for the network. `nil` if it took one.
    private func take(_ budget: FlowBudget, _ network: PeerNetwork, now: UInt64) -> Int? {
        do throws(AccountDenial) {
            try budget.take(network, now: now)
            return nil
        } catch {
            #expect(error.denial.code == .overloaded && error.denial.detail == nil)
            return error.denial.retryAfter ?? 0
        }
    }

    @Test func `a network has a sixteenth of the budget, and gets it back over ten minutes`() {
        let budget = FlowBudget(limit: 320)
        let now = Self.start
        for host in 0..<20 { #expect(take(budget, Self.address(1, UInt32(host)), now: now) == nil, "\(host)") }
        // 30 seconds for each of 20 values.
        #expect(take(budget, Self.address(1, 99), now: now) == 30, "the same /24")
        #expect(take(budget, Self.address(2), now: now) == nil, "another /24")
        #expect(take(budget, Self.address(1), now: now + 29 * Self.second) == 1)
        #expect(take(budget, Self.address(1), now: now + 30 * Self.second) == nil)
        #expect(take(budget, Self.address(1), now: now + 30 * Self.second) == 30)
        let later = now + 630 * Self.second
        for _ in 0..<20 { #expect(take(budget, Self.address(1), now: later) == nil) }
        #expect(take(budget, Self.address(1), now: later) != nil)
    }

    @Test func `the networks of one IPv6 site share a budget`() {
        let budget = FlowBudget(limit: 16)
        let site: UInt64 = 0x2001_0DB8_0001_0000
        #expect(take(budget, .version6(site.bigEndian), now: Self.start) == nil)
        #expect(take(budget, .version6((site | 0xFFFF).bigEndian), now: Self.start) != nil, "the same /48")
        #expect(take(budget, .version6((site + 0x1_0000).bigEndian), now: Self.start) == nil, "another /48")
    }

    @Test func `all networks together have the budget`() {
        let budget = FlowBudget(limit: 320)
        for network in 0..<16 {
            for _ in 0..<20 { #expect(take(budget, Self.address(UInt32(network)), now: Self.start) == nil) }
        }
        #expect(take(budget, Self.address(16), now: Self.start) == 2, "600 seconds for 320 values")
        #expect(take(budget, Self.address(17), now: Self.start + 2 * Self.second) == nil)
    }

    @Test func `the default budget is the documented one`() {
        let budget = FlowBudget()
        #expect(FlowBudget.limit == 65_536 && Self.share == 4_096)
        for _ in 0..<Self.share { try? budget.take(Self.address(1), now: Self.start) }
        #expect(take(budget, Self.address(1), now: Self.start) == 1)
    }

    // MARK: - Calls

    /// Uses up a budget of the network of the rig's calls.
    private func exhaust(_ budget: FlowBudget, _ flow: FlowRig) {
        while take(budget, .version4(1), now: flow.rig.time.monotonic) == nil {}
    }

    @Test func `starts without a session, starts of sessions and posted forms have separate budgets`() async throws {
        let flow = try await FlowRig()
        let flows = try #require(flow.rig.parts.flows)
        let caller = try await flow.rig.session()
        let apple = try await flow.begin("apple.com")
        exhaust(flows.signInBudget, flow)
        let refused = await #expect(throws: FlowRig.NotBegun.self) { try await flow.begin() }
        #expect(refused?.code == "gateway/overloaded")
        #expect(flow.rig.log.text.contains("the limit of open flows is reached"))
        _ = try await flow.begin(.startReauthenticate, "google.com", by: caller)
        let form = "state=\(apple.state)&code=c"
        #expect(await flow.post("apple.com", form).location != nil)
        exhaust(flows.formBudget, flow)
        #expect(await flow.post("apple.com", form).code == "gateway/overloaded")
        exhaust(flows.sessionBudget, flow)
        #expect(await flow.answer(.startReauthenticate, "google.com", by: caller).code == "gateway/overloaded")
        flow.rig.time.advance(seconds: 1)
        _ = try await flow.begin()
        _ = try await flow.begin(.startReauthenticate, "google.com", by: caller)
        #expect(await flow.post("apple.com", form).location != nil)
    }

    @Test func `a start that is refused before its flow begins costs nothing`() async throws {
        let flow = try await FlowRig()
        let flows = try #require(flow.rig.parts.flows)
        exhaust(flows.signInBudget, flow)
        await #expect(throws: FlowRig.NotBegun.self) { try await flow.begin() }
        flow.rig.time.advance(seconds: 0.15)
        for query in ["return_to=//evil.example", "redirect_uri=x"] {
            let refused = await #expect(throws: FlowRig.NotBegun.self) { try await flow.begin(query: query) }
            #expect(refused?.code == "request/malformed")
        }
        _ = try await flow.begin()
        await #expect(throws: FlowRig.NotBegun.self) { try await flow.begin() }
    }

    @Test func `a provider with all its redemptions in progress delays no other provider`() async throws {
        let flow = try await FlowRig()
        let flows = try #require(flow.rig.parts.flows)
        let slots = try flows.slots(of: try flows.provider("google.com"))
        let occupied = await OccupiedSlots(slots, count: CodeFlows.redemptions)
        let refused = await flow.finish(try await flow.begin())
        #expect(refused.location == "https://app.example/?error=gateway%2Foverloaded" && refused.cookie == nil)
        #expect(flow.transport.count == 0, "the code is sent nowhere")
        let other = await flow.finish(try await flow.begin("github.com"), "github.com", as: .linus)
        #expect(other.token != nil, "\(flow.rig.log.text)")
        try await occupied.release()
        #expect(await flow.finish(try await flow.begin()).token != nil)
    }
}
