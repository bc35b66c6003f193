import Foundation
import Synchronization

/// A pipe for the output of a process. It is read into a file until `pause`. Then it fills, as if its reader hangs.
final class PausableReader: Sendable {
    private let pipe = Pipe()
    private let isPaused = Mutex(false)

    /// The end for the process.
    var writing: FileHandle { pipe.fileHandleForWriting }

    init(into path: String) throws {
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(fileURLWithPath: path)) }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        // One page, the minimum size of a pipe.
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, setPipeSize, 4096)
        Thread.detachNewThread { [self] in
            while !isPaused.withLock({ $0 }) {
                var entry = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&entry, 1, 10) > 0 else { continue }
                try? file.write(contentsOf: pipe.fileHandleForReading.availableData)
            }
        }
    }

    func pause() { isPaused.withLock { $0 = true } }
}

/// F_SETPIPE_SZ of Linux, which the C library declares for GNU programs only.
private let setPipeSize: Int32 = 1031
