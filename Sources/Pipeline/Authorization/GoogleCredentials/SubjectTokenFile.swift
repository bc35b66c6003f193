import GatewayCore
import NIOPosix
import OutboundHTTP
import Synchronization

/// A file with a token of another identity system.
///
/// It may be on a file system that does not answer. So it is read on a thread for blocking calls, and one read runs at
/// a time, so that it occupies only one thread.
final class SubjectTokenFile: Sendable {
    typealias Reader = @Sendable (String) throws(BoundedFile.Failure) -> [UInt8]

    let path: String
    private let name: String
    private let reader: Reader
    private let isReading = Mutex(false)

    /// - Parameters:
    ///   - name: The file in messages.
    ///   - reader: Reads the file; tests replace it.
    init(
        path: String, name: String = "the subject token file",
        reader: @escaping Reader = { (path: String) throws(BoundedFile.Failure) -> [UInt8] in
            try BoundedFile.read(path, atMost: SubjectTokenSource.sizeLimit)
        }
    ) {
        (self.path, self.name, self.reader) = (path, name, reader)
    }

    /// Reads the file. It calls `completion` once, from any thread; never if the file system never answers.
    func read(_ completion: @escaping @Sendable (Result<[UInt8], LookupFailure>) -> Void) {
        let isBusy = isReading.withLock { isReading in
            defer { isReading = true }
            return isReading
        }
        guard !isBusy else { return completion(.failure(failure(.timedOut, "an earlier read has not ended"))) }
        NIOThreadPool.singleton.submit { [self] state in
            let result = state == .active ? load() : .failure(failure(.cancelled, "not read"))
            isReading.withLock { $0 = false }
            completion(result)
        }
    }

    /// Reads the token in the file: its text without white space at both ends.
    func token() async -> Result<Secret, LookupFailure> {
        let result = await withCheckedContinuation { continuation in read { continuation.resume(returning: $0) } }
        return result.flatMap { SubjectTokenSource.token(in: $0) }
    }

    private func load() -> Result<[UInt8], LookupFailure> {
        do throws(BoundedFile.Failure) {
            return .success(try reader(path))
        } catch {
            return .failure(failure(.ownCredentials, error.reason))
        }
    }

    private func failure(_ kind: LookupFailure.Kind, _ reason: String) -> LookupFailure {
        LookupFailure(kind, "\(name): \(reason)")
    }
}
