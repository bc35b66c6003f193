import Synchronization

/// The files that were read while a configuration was loaded and its snapshot built. A change of any requires a reload.
package final class FileLedger: Sendable {
    @TaskLocal private static var current: FileLedger?

    private let paths = Mutex<Set<String>>([])

    private let isOfReload: Bool

    /// Creates an empty ledger.
    ///
    /// - Parameter isOfReload: Whether this is a reload, which must not wait, for example for the writer of a pipe.
    package init(isOfReload: Bool = false) {
        self.isOfReload = isOfReload
    }

    /// Whether the current task reads files for a reload.
    package static var isOfReload: Bool { current?.isOfReload ?? false }

    /// The files that were opened, including failures.
    package var files: Set<String> { paths.withLock { $0 } }

    /// Records every file that `body` reads.
    package func record<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        // `withValue` only rethrows untyped errors.
        var result: Result<Value, Failure>?
        Self.$current.withValue(self) {
            do throws(Failure) { result = .success(try body()) } catch { result = .failure(error) }
        }
        guard let result else { return try body() }
        return try result.get()
    }

    /// Records a file that was looked for, or is read, by the current task.
    package static func record(_ path: String) {
        _ = current?.paths.withLock { $0.insert(path) }
    }
}
