#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A descriptor for appending lines that handles partial writes and interruptions. Used by one thread.
struct LogDescriptor: ~Copyable {
    private let descriptor: Int32
    /// Whether the descriptor is closed at the end. Standard streams belong to the process and stay open.
    private var isOwned: Bool { descriptor > STDERR_FILENO }
    /// Whether the last batch was partially written. The next one then begins a new line.
    private var torn = false

    /// Opens a file for appending and creates it if necessary, readable for owner and group. Throws the system's
    /// reason.
    static func open(path: String) throws(AccessLogError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
        #if canImport(Glibc)
            let descriptor = Glibc.open(path, flags, 0o640)
        #elseif canImport(Musl)
            let descriptor = Musl.open(path, flags, 0o640)
        #else
            let descriptor = Darwin.open(path, flags, 0o640)
        #endif
        guard descriptor >= 0 else { throw AccessLogError(path: path, reason: String(cString: strerror(errno))) }
        return descriptor
    }

    /// Takes ownership of an open descriptor. It is closed at the end unless it is a standard stream.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// Writes all bytes. `false` if the system fails, for example on a full disk; the next call tries again.
    mutating func append(_ bytes: [UInt8]) -> Bool {
        if torn, !writeAll([UInt8(ascii: "\n")]) { return false }
        torn = false
        return writeAll(bytes)
    }

    private mutating func writeAll(_ bytes: [UInt8]) -> Bool {
        var written = 0
        while written < bytes.count {
            let result = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, $0.count - written) }
            if result >= 0 {
                written += result
            } else if errno == EAGAIN {
                waitUntilWritable()
            } else if errno != EINTR {
                torn = torn || written > 0
                return false
            }
        }
        return true
    }

    /// Waits for a non-blocking descriptor, such as a pipe, that is full.
    private func waitUntilWritable() {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&request, 1, 1000)
    }
}
