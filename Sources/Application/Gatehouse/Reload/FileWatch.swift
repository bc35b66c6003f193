import GatewayCore

/// The detection of complete changes of configuration files, as a pure value: fingerprints in, whether to reload out.
///
/// A change counts after two consecutive checks with the same result, so that files are not read while they are being
/// written.
struct FileWatch: Sendable {
    typealias Fingerprints = [String: FileFingerprint]

    /// The fingerprints of the loaded files.
    private var loaded: Fingerprints
    /// The fingerprints of the last check, if they differ.
    private var seen: Fingerprints?

    init(loaded: Fingerprints) {
        self.loaded = loaded
    }

    var files: Set<String> { Set(loaded.keys) }

    /// Returns whether to reload the files.
    mutating func lookUp(_ fingerprints: Fingerprints) -> Bool {
        guard fingerprints != loaded else {
            seen = nil
            return false
        }
        defer { seen = fingerprints }
        return seen == fingerprints
    }

    /// Records an attempt, successful or not, so that the same state is not tried again.
    mutating func tried(_ fingerprints: Fingerprints) {
        loaded = fingerprints
        seen = nil
    }
}

extension FileWatch.Fingerprints {
    /// Returns the current fingerprints. Missing files have none.
    static func now(of files: Set<String>) -> FileWatch.Fingerprints {
        files.reduce(into: [:]) { fingerprints, file in fingerprints[file] = FileFingerprint(of: file) }
    }
}
