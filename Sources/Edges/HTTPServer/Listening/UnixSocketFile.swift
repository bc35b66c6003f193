import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file of a listening Unix socket, identified independently of its path.
struct UnixSocketFile: Sendable {
    /// The owner and its group may connect.
    private static let mode: mode_t = 0o660

    let path: String
    private let identity: Identity

    /// The identity of a file. Its inode is not reused while the socket is open.
    private struct Identity: Equatable {
        let device: UInt64
        let inode: UInt64

        /// Returns `nil` if the path is not a socket.
        init?(_ path: String) {
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    /// Removes the socket of a terminated process if no process listens on it. Any other kind of file stays, and
    /// listening fails.
    static func removeStaleSocket(at path: String, on loop: any EventLoop) async throws {
        guard let found = Identity(path) else { return }
        let probe = try? await ClientBootstrap(group: loop).connect(unixDomainSocketPath: path).get()
        if let probe {
            try? await probe.close()
            throw IOError(errnoCode: EADDRINUSE, reason: "connect")
        }
        if Identity(path) == found { unlink(path) }
    }

    /// Creates the file of an open socket with restricted permissions.
    init(_ path: String, boundTo descriptor: CInt) throws {
        let bound = try SocketAddress(unixDomainSocketPath: path).withSockAddr { bind(descriptor, $0, socklen_t($1)) }
        guard bound == 0 else { throw IOError(errnoCode: errno, reason: "bind") }
        guard let identity = Identity(path) else { throw IOError(errnoCode: ENOENT, reason: "lstat") }
        (self.path, self.identity) = (path, identity)
        guard chmod(path, Self.mode) == 0 else {
            let error = IOError(errnoCode: errno, reason: "chmod")
            remove()
            throw error
        }
    }

    /// Removes the file, unless the path now names a different one. Call it before the socket is closed.
    func remove() {
        if Identity(path) == identity { unlink(path) }
    }
}

extension UnixSocketFile {
    /// Listens at a path. The bootstrap does not create the socket itself. Its own socket would remove any socket at
    /// the path on close, and would accept connections before the permissions are restricted.
    static func listen(
        at path: String, _ bootstrap: ServerBootstrap, backlog: Int32
    ) async throws -> (file: UnixSocketFile, channel: any Channel) {
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let file: UnixSocketFile
        do {
            file = try UnixSocketFile(path, boundTo: descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        do {
            // From here on the channel owns the descriptor.
            let channel = try await bootstrap.withBoundSocket(descriptor).get()
            // The channel listens with a backlog of its own.
            extendBacklog(of: descriptor, to: backlog)
            return (file, channel)
        } catch {
            file.remove()
            throw error
        }
    }

    #if canImport(Glibc)
        private static let kind = Int32(SOCK_STREAM.rawValue)
    #else
        private static let kind = SOCK_STREAM
    #endif
}

/// Outside of the type, whose own `listen` hides the system's.
private func extendBacklog(of descriptor: CInt, to backlog: Int32) {
    _ = listen(descriptor, backlog)
}
