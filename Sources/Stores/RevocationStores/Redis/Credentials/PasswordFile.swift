import Dispatch
import Foundation

/// A file with credentials, which another program replaces.
enum PasswordFile {
    /// Reads the file, which may be on a file system that responds slowly. The result has at most one byte more than
    /// `FetchedCredentials.maximumSize`.
    static func content(of path: String) async -> Result<[UInt8], FetchedCredentials.Failure> {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: read(path))
            }
        }
    }

    private static func read(_ path: String) -> Result<[UInt8], FetchedCredentials.Failure> {
        let unreadable = FetchedCredentials.Failure("the file cannot be read; check its path and permissions")
        // Opening a named pipe would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .failure(unreadable) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let data = try? file.read(upToCount: FetchedCredentials.maximumSize + 1) else {
            return .failure(unreadable)
        }
        return .success([UInt8](data))
    }
}
