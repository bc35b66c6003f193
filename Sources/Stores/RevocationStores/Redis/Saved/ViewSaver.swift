import Dispatch
import Logging
import NIOCore
import Revocation
import Synchronization

/// The regular writes of the view to its file, outside of the event loops.
final class ViewSaver: Sendable {
    /// The interval of writes.
    static let interval = TimeAmount.minutes(5)

    private struct State {
        var timer: RepeatedTask?
        var isSaving = false
        var isStopped = false
        var saved: SavedPosition?
    }

    private let file: SavedView
    private let view: StoreView
    private let replica: Replica
    private let loop: any EventLoop
    private let logger: Logger
    private let state = Mutex(State())

    init(_ file: SavedView, of view: StoreView, _ replica: Replica, loop: any EventLoop, logger: Logger) {
        (self.file, self.view, self.replica) = (file, view, replica)
        (self.loop, self.logger) = (loop, logger)
    }

    /// Reads the file, then starts the replica and the timer.
    func start() {
        DispatchQueue.global().async { [self] in
            replica.start(from: load())
            state.withLock { state in
                guard !state.isStopped else { return }
                state.timer = loop.scheduleRepeatedTask(initialDelay: Self.interval, delay: Self.interval) { _ in
                    Task { await self.save() }
                }
            }
        }
    }

    /// Stops the timer and saves the view once more. Called while the replica follows the stream.
    func stop() async {
        state.withLock { state in
            state.isStopped = true
            state.timer?.cancel()
        }
        await save()
    }

    private func load() -> SavedPosition? {
        do throws(SavedView.Failure) {
            guard let position = try file.load(into: view) else { return nil }
            let usage = view.usage
            logger.info(
                "revocations: the saved view was read",
                metadata: ["users": "\(usage.users)", "sessions": "\(usage.sessions)"])
            return position
        } catch {
            logger.warning(
                "revocations: the saved view is not used; all records are read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Writes the view, unless it is unchanged or may lack something. A failure is logged and repeated later.
    func save() async {
        let isFirst = state.withLock { state in
            defer { state.isSaving = true }
            return !state.isSaving
        }
        guard isFirst else { return }
        let position = await replica.savedPosition()
        if let position, position != state.withLock({ $0.saved }) { await write(position) }
        state.withLock { $0.isSaving = false }
    }

    private func write(_ position: SavedPosition) async {
        let failure: SavedView.Failure? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [file, view] in
                do throws(SavedView.Failure) {
                    try file.write(view, position)
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
        if let failure {
            logger.warning("revocations: the view could not be saved", metadata: ["error": "\(failure)"])
        } else {
            state.withLock { $0.saved = position }
        }
    }
}
