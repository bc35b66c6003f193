import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file of a socket that is listened on.
struct UnixSocketFile: Sendable {
    let path: String

    /// Who may connect: the owner and its group.
    private static let mode: mode_t = 0o660

    /// Removes a socket that nobody listens on any more, as a process leaves it that did not end by itself. What is no socket is left alone,
    /// and listening fails then.
    func makeWay(on loop: any EventLoop) async throws {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        let probe = try? await ClientBootstrap(group: loop).connect(unixDomainSocketPath: path).get()
        if let probe {
            try? await probe.close()
            throw IOError(errnoCode: EADDRINUSE, reason: "connect")
        }
        unlink(path)
    }

    func restrict() throws {
        guard chmod(path, Self.mode) == 0 else { throw IOError(errnoCode: errno, reason: "chmod") }
    }

    func remove() {
        unlink(path)
    }
}
