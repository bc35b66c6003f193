import GatewayCore

/// When the files of a configuration have changed and are whole, as a pure value: fingerprints in, whether to reload out.
///
/// A change counts once two looks in a row saw the same: who writes several files, or one slowly, is not read in between.
struct FileWatch: Sendable {
    typealias Fingerprints = [String: FileFingerprint]

    /// What was read.
    private var loaded: Fingerprints
    /// What the last look saw, where that differs.
    private var seen: Fingerprints?

    init(loaded: Fingerprints) {
        self.loaded = loaded
    }

    var files: Set<String> { Set(loaded.keys) }

    /// - Returns: whether to read them again.
    mutating func look(_ fingerprints: Fingerprints) -> Bool {
        guard fingerprints != loaded else {
            seen = nil
            return false
        }
        defer { seen = fingerprints }
        return seen == fingerprints
    }

    /// They were read, well or not: these states are not tried again.
    mutating func tried(_ fingerprints: Fingerprints) {
        loaded = fingerprints
        seen = nil
    }
}

extension FileWatch.Fingerprints {
    /// How the files are now; those that are not there have none.
    static func now(of files: Set<String>) -> FileWatch.Fingerprints {
        files.reduce(into: [:]) { fingerprints, file in fingerprints[file] = FileFingerprint(of: file) }
    }
}
