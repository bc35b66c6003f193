#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What tells one state of a file from another. A link counts as what it points to, as mounted configurations are swapped.
struct FileStamp: Sendable, Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Nil where there is no such file.
    init?(of path: String) {
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

    init(device: UInt64 = 0, inode: UInt64 = 0, size: Int64 = 0, seconds: Int = 0) {
        self.device = device
        self.inode = inode
        self.size = size
        self.seconds = seconds
        nanoseconds = 0
    }
}

/// When the files of a configuration have changed and are whole, as a pure value: stamps in, whether to reload out.
///
/// A change counts once two looks in a row saw the same: who writes several files, or one slowly, is not read in between.
struct FileWatch: Sendable {
    typealias Stamps = [String: FileStamp]

    /// What was read.
    private var loaded: Stamps
    /// What the last look saw, where that differs.
    private var seen: Stamps?

    init(loaded: Stamps) {
        self.loaded = loaded
    }

    var files: Set<String> { Set(loaded.keys) }

    /// - Returns: whether to read them again.
    mutating func look(_ stamps: Stamps) -> Bool {
        guard stamps != loaded else {
            seen = nil
            return false
        }
        defer { seen = stamps }
        return seen == stamps
    }

    /// They were read, well or not: these states are not tried again.
    mutating func tried(_ stamps: Stamps) {
        loaded = stamps
        seen = nil
    }
}

extension FileWatch.Stamps {
    /// How the files are now; those that are not there have none.
    static func now(of files: Set<String>) -> FileWatch.Stamps {
        files.reduce(into: [:]) { stamps, file in stamps[file] = FileStamp(of: file) }
    }
}
