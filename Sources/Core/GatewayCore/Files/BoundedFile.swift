#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A reader of small files. It rejects a larger file after reading no more than the limit.
package enum BoundedFile {
    /// The reason that a file was not read.
    package enum Failure: Error {
        /// The system's reason, such as `No such file or directory`.
        case unreadable(String)
        /// The file has more bytes than permitted.
        case tooLarge

        /// Whether there is no such file, or no such folder.
        package var isMissing: Bool {
            if case .unreadable(let reason) = self { reason == String(cString: strerror(ENOENT)) } else { false }
        }

        /// The reason, for people.
        package var reason: String {
            switch self {
            case .unreadable(let reason): reason
            case .tooLarge: "too large"
            }
        }
    }

    /// Returns the bytes of the file at `path`, at most `maximum`.
    ///
    /// - Parameter mayBePipe: Whether to wait for the writer of a pipe. Otherwise a pipe is rejected, since it may
    ///   never be written to.
    package static func read(_ path: String, atMost maximum: Int, mayBePipe: Bool = false) throws(Failure) -> [UInt8] {
        FileLedger.record(path)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | (mayBePipe ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else { throw .unreadable(systemReason()) }
        defer { close(descriptor) }
        guard mayBePipe || !isPipe(descriptor) else { throw .unreadable("it is a pipe, not a file") }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= maximum {
            let count = unistdRead(descriptor, &chunk)
            guard count >= 0 else { throw .unreadable(systemReason()) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        throw .tooLarge
    }

    private static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Returns whether the file's mode permits access by users other than its owner.
    package static func isOpenToOthers(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
    }

    private static func unistdRead(_ descriptor: Int32, _ chunk: inout [UInt8]) -> Int {
        chunk.withUnsafeMutableBytes { buffer in
            var count: Int
            repeat {
                #if canImport(Glibc)
                    count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                #elseif canImport(Musl)
                    count = Musl.read(descriptor, buffer.baseAddress, buffer.count)
                #else
                    count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
                #endif
            } while count < 0 && errno == EINTR
            return count
        }
    }

    private static func systemReason() -> String {
        String(cString: strerror(errno))
    }
}
