import GatewayCore
import OutboundHTTP

/// The driver of one key set's state machine: it fetches, sleeps until deadlines, publishes and logs.
actor KeySetDriver {
    let set: Int
    let source: KeySetSource
    /// Wakes the driver for an unknown key. The buffer holds one element, because repeated requests are equivalent.
    nonisolated let unknownKeyContinuation: AsyncStream<Void>.Continuation

    private let environment: KeyEnvironment
    private let board: KeySetRegistry
    private let unknownKeys: AsyncStream<Void>
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
        (unknownKeys, unknownKeyContinuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Keeps the set fresh until the task is cancelled. It must be called only once.
    func run() async {
        apply(.start)
        for await _ in unknownKeys { apply(.unknownKeyRequested) }
        isStopped = true
        unknownKeyContinuation.finish()
        timer?.cancel()
        fetch?.cancel()
        await fetch?.value
    }

    /// Fetches the set immediately, regardless of cool-down and backoff.
    func refresh() {
        apply(.refreshRequested)
    }

    /// Waits for the current fetch, if any. Its result is published before this returns.
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

    /// Arms the timer for the machine's deadline and cancels an obsolete one.
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
