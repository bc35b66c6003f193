#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where the lines go: a descriptor that is appended to, with short writes and interruptions dealt with. Used by one thread.
struct LogDescriptor: ~Copyable {
    private let descriptor: Int32
    /// Standard streams belong to the process and stay open.
    private var isOwned: Bool { descriptor > STDERR_FILENO }
    /// The last batch was written in part: the next one begins a new line.
    private var torn = false

    /// Opens a file for appending, or makes it, readable for its owner and group. Throws what the system says.
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

    /// Takes over an open descriptor, and closes it at the end unless it is a standard stream.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// Writes all of the bytes. False when the system refuses them, such as on a full disk; the next call tries anew.
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

    /// A descriptor that came to us non-blocking, such as a pipe, has no room.
    private func waitUntilWritable() {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&request, 1, 1000)
    }
}
