import Logging
import Synchronization

/// Keeps all that is logged, metadata included.
final class LogBook: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { _ in Handler(book: self) }
    }

    private func add(_ line: String) { kept.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let book: LogBook
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            book.add("\(event.level) \(event.message) \(event.metadata ?? [:])")
        }
    }
}
