import Synchronization

/// Which files were read while a configuration was loaded and its snapshot built: those whose change asks for a reload.
package final class FileLedger: Sendable {
    @TaskLocal private static var current: FileLedger?

    private let paths = Mutex<Set<String>>([])

    private let isOfReload: Bool

    /// A ledger of no files.
    ///
    /// - Parameter isOfReload: nothing may be waited for then, as the other end of a pipe.
    package init(isOfReload: Bool = false) {
        self.isOfReload = isOfReload
    }

    /// Whether what is being read is read for a reload.
    package static var isOfReload: Bool { current?.isOfReload ?? false }

    /// The files that were asked for, also those that could not be read.
    package var files: Set<String> { paths.withLock { $0 } }

    /// Notes every file that `body` reads.
    package func record<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        // `withValue` passes on untyped errors only.
        var result: Result<Value, Failure>?
        Self.$current.withValue(self) {
            do throws(Failure) { result = .success(try body()) } catch { result = .failure(error) }
        }
        guard let result else { return try body() }
        return try result.get()
    }

    static func note(_ path: String) {
        _ = current?.paths.withLock { $0.insert(path) }
    }
}
