#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A small text file that only its owner may read, written atomically.
package struct PrivateFile {
    private let directory: String
    package let path: String

    package init(directory: String, name: String) {
        self.directory = directory
        path = directory + "/" + name
    }

    private static let largest = 262_144

    /// Returns the file's text. `nil` if the file does not exist.
    func text() throws(DevelopmentIdentityError) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("read")
        }
        defer { close(descriptor) }
        try checkOwnerOnly(descriptor)
        var bytes = [UInt8](repeating: 0, count: Self.largest + 1)
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
            }
            guard count >= 0 else { throw failure("read") }
            guard count > 0 else { return String(decoding: bytes.prefix(filled), as: UTF8.self) }
            filled += count
        }
        throw DevelopmentIdentityError(.keyFile, "\(path) is longer than \(Self.largest) bytes")
    }

    private func checkOwnerOnly(_ descriptor: Int32) throws(DevelopmentIdentityError) {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw failure("read") }
        guard information.st_mode & 0o077 == 0 else {
            throw DevelopmentIdentityError(
                .keyFile,
                "\(path) may be read by others than its owner; chmod 600 it, or remove it, and a new one is written")
        }
    }

    /// Creates the file unless it exists, and the directory (mode 0700) if necessary.
    func create(_ text: String) throws(DevelopmentIdentityError) {
        let temporary = try writeTemporary(text)
        defer { unlink(temporary) }
        guard link(temporary, path) == 0 || errno == EEXIST else { throw failure("make") }
    }

    /// Creates or replaces the file, and creates the directory (mode 0700) if necessary.
    package func replace(with text: String) throws(DevelopmentIdentityError) {
        let temporary = try writeTemporary(text)
        guard rename(temporary, path) == 0 else {
            let error = failure("replace")
            unlink(temporary)
            throw error
        }
    }

    private func writeTemporary(_ text: String) throws(DevelopmentIdentityError) -> String {
        try makeDirectory()
        let temporary = "\(path).\(String(UInt64.random(in: 0...UInt64.max), radix: 16))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("make") }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            let error = failure("write")
            unlink(temporary)
            throw error
        }
        return temporary
    }

    /// Creates the directory, or checks that no other user can replace files in it: a shell reads some of them.
    private func makeDirectory() throws(DevelopmentIdentityError) {
        if mkdir(directory, 0o700) == 0 { return }
        var information = stat()
        guard errno == EEXIST, stat(directory, &information) == 0 else { throw failure("make the directory of") }
        guard information.st_uid == geteuid(), information.st_mode & 0o022 == 0 else {
            throw DevelopmentIdentityError(
                .keyFile, "\(directory) belongs to another user, or others can write to it; chmod 700 it, or remove it")
        }
    }

    private func failure(_ action: String) -> DevelopmentIdentityError {
        DevelopmentIdentityError(.keyFile, "cannot \(action) \(path): \(String(cString: strerror(errno)))")
    }
}
