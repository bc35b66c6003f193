#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The identity of one state of a file. Symbolic links are followed, since mounted configurations are replaced by
/// changing a link.
package struct FileFingerprint: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Reads the fingerprint. `nil` if there is no such file.
    package init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
            (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
        #else
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        #endif
    }

    /// Whether two paths lead to the same file, whatever was written between the two calls. `false` if one is missing.
    package static func areSameFile(_ one: String, _ other: String) -> Bool {
        guard let one = FileFingerprint(of: one), let other = FileFingerprint(of: other) else { return false }
        return one.device == other.device && one.inode == other.inode
    }

    /// Whether the path has a file, a folder or a link. A path that cannot be examined has one: only a missing file may
    /// be replaced by another.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 || errno != ENOENT && errno != ENOTDIR
    }

    init(device: UInt64 = 0, inode: UInt64 = 0, size: Int64 = 0, seconds: Int = 0) {
        self.device = device
        self.inode = inode
        self.size = size
        self.seconds = seconds
        nanoseconds = 0
    }
}
