import GatewayCore
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite(.timeLimit(.minutes(1))) struct KeyEnvironmentTests {
    let environment: KeyEnvironment = {
        let time = KeyTestTime()
        return KeyEnvironment.live(
            fetcher: FakeKeyFetcher(), clock: time.clock, log: { _, _ in })
    }()

    @Test func aDeadlineThatHasPassedIsNotSleptFor() async throws {
        try await environment.sleepUntil(environment.clock.monotonic())
        try await environment.sleepUntil(0)
    }

    @Test func aSleepEndsWithItsTask() async {
        let environment = environment
        let sleep = Task { try await environment.sleepUntil(.max) }
        sleep.cancel()
        await #expect(throws: CancellationError.self) { try await sleep.value }
    }
}
