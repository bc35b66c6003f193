import AdminAPI
import GatewayCore
import Logging
import Revocation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The announcement of this gateway to the others that share its store, and the list of the others.
final class FleetAnnouncer: Sendable {
    private struct State {
        var others: [AdministeredFleet.Member] = []
        var isShared = false
        var trouble: String?
        /// The number of failures since the last success.
        var failures = 0
    }

    /// The time until an announcement that failed is repeated, in seconds. The store may still be connecting.
    static let retryInterval: Int64 = 2
    /// The number of failures in a row that is logged.
    private static let loggedFailures = 3

    private let store: any FleetStore
    private let clock: GatewayClock
    private let logger: Logger
    private let wait: Supervisor.Wait
    private let state = Mutex(State())
    /// The identifier of this process.
    let id = RandomText.name()
    let name = FleetAnnouncer.hostName

    init(
        _ store: any FleetStore, clock: GatewayClock, logger: Logger,
        wait: @escaping Supervisor.Wait = { try await Task.sleep(for: $0) }
    ) {
        self.store = store
        self.clock = clock
        self.logger = logger
        self.wait = wait
    }

    /// Announces the gateway immediately and after each interval, until the task is cancelled.
    func run(_ describe: @Sendable () async -> AdministeredFleet.Member) async {
        while !Task.isCancelled {
            _ = await announce(await describe())
            let hasFailed = state.withLock { $0.failures > 0 }
            do { try await wait(.seconds(hasFailed ? Self.retryInterval : FleetEntry.interval)) } catch { return }
        }
    }

    /// Announces the gateway and returns the current list. After a failure, the last known gateways remain in the list
    /// until their announcements expire.
    func announce(_ member: AdministeredFleet.Member) async -> AdministeredFleet {
        let now = clock.now()
        let entry = FleetEntry(id: id, text: member.announcement)
        let result: Result<[FleetEntry]?, StoreError>
        do throws(StoreError) {
            result = .success(try await store.announce(entry, now: now))
        } catch {
            result = .failure(error)
        }
        let (fleet, failure) = state.withLock { state in
            Self.adopt(result, into: &state)
            state.others.removeAll { $0.seenAt < now - FleetEntry.lifetime }
            let fleet = AdministeredFleet(
                isShared: state.isShared, trouble: state.trouble, this: member, others: state.others)
            return (fleet, state.failures == Self.loggedFailures ? state.trouble : nil)
        }
        if let failure {
            logger.warning("the gateway could not announce itself to others", metadata: ["error": "\(failure)"])
        }
        return fleet
    }

    private static func adopt(_ result: Result<[FleetEntry]?, StoreError>, into state: inout State) {
        if case .failure = result { state.failures += 1 } else { state.failures = 0 }
        switch result {
        case .success(nil): (state.isShared, state.others, state.trouble) = (false, [], nil)
        case .success(let entries?):
            state.isShared = true
            state.others = entries.compactMap { AdministeredFleet.Member(id: $0.id, announcement: $0.text) }
            let isFull = entries.count >= FleetEntry.limit
            state.trouble = isFull ? "\(FleetEntry.limit) gateways are announced; further ones are not listed" : nil
        case .failure(let error):
            state.isShared = true
            state.trouble = "\(error)"
        }
    }

    /// The name of the host. `unknown` if the system does not report it.
    private static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return bytes.isEmpty ? "unknown" : String(decoding: bytes, as: UTF8.self)
    }
}
