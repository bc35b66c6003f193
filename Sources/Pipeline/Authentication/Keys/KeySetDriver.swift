import GatewayCore
import OutboundHTTP

/// Runs the machine of one key set: fetches, sleeps until deadlines, publishes, logs.
actor KeySetDriver {
    let set: Int
    let source: KeySetSource
    /// Wakes the driver for an unknown key: bounded, since one ask says as much as many.
    nonisolated let asks: AsyncStream<Void>.Continuation

    private let environment: KeyEnvironment
    private let board: KeySetRegistry
    private let asked: AsyncStream<Void>
    private var machine: KeySetMachine
    private var fetch: Task<Void, Never>?
    private var timer: Task<Void, Never>?
    private var armedFor: UInt64?
    private var isStopped = false

    init(set: Int, source: KeySetSource, machine: KeySetMachine, board: KeySetRegistry, environment: KeyEnvironment) {
        self.set = set
        self.source = source
        self.machine = machine
        self.board = board
        self.environment = environment
        (asked, asks) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Keeps the set until the task is cancelled. Once.
    func run() async {
        apply(.start)
        for await _ in asked { apply(.unknownKeyAsked) }
        isStopped = true
        asks.finish()
        timer?.cancel()
        fetch?.cancel()
        await fetch?.value
    }

    /// Reads the set now, whatever the cool-down and the backoff say.
    func refresh() {
        apply(.refreshAsked)
    }

    /// Returns once no fetch is under way: what it brought is published then.
    func waitForFetch() async {
        await fetch?.value
    }

    private func apply(_ event: KeySetMachine.Event) {
        guard !isStopped else { return }
        var isNews = false
        for action in machine.handle(event, now: environment.clock.monotonic()) {
            switch action {
            case .fetch: startFetch()
            case .publish: isNews = true
            case .log(let event): environment.log(event, source)
            }
        }
        board.record(machine, set: set, isNews: isNews)
        armTimer()
    }

    private func startFetch() {
        fetch = Task {
            do throws(KeyFetchError) {
                apply(.fetched(try await environment.fetcher.fetch(source)))
            } catch {
                apply(.fetchFailed(error))
            }
        }
    }

    /// One timer for the machine's deadline; an earlier timer that is no longer meant is cancelled.
    private func armTimer() {
        guard machine.deadline != armedFor else { return }
        timer?.cancel()
        armedFor = machine.deadline
        guard let deadline = armedFor else { return }
        timer = Task {
            guard (try? await environment.sleepUntil(deadline)) != nil, !Task.isCancelled else { return }
            armedFor = nil
            apply(.tick)
        }
    }
}
