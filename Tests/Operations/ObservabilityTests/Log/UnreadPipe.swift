import Foundation
import Synchronization

/// A pipe with a capacity of one page, which is read only on demand.
final class UnreadPipe: Sendable {
    private let pipe = Pipe()
    /// The writing end, for a writer that closes it.
    let descriptor: Int32

    init() {
        descriptor = dup(pipe.fileHandleForWriting.fileDescriptor)
        _ = fcntl(descriptor, setPipeSize, 4096)
    }

    /// Closes the writing end and returns all written bytes. Call it once, when there is no other writer.
    func readToEnd() throws -> String {
        try pipe.fileHandleForWriting.close()
        return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }

    /// Waits for data and returns the available bytes.
    func readSome() -> String { String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self) }
}

/// F_SETPIPE_SZ of Linux, which the C library declares for GNU programs only.
private let setPipeSize: Int32 = 1031
