import GatewayCore

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
