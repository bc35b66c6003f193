import Foundation

/// Where the development identity keeps its keys, so that tokens of one command count in the other.
enum DevelopmentState {
    /// `$XDG_STATE_HOME/gatehouse`, by default `~/.local/state/gatehouse`. It is made when keys are written.
    static func directory() -> String {
        let environment = ProcessInfo.processInfo.environment
        let home = FileManager.default.homeDirectoryForCurrentUser.path
        // Relative paths are to be ignored (XDG Base Directory Specification).
        let base = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/state"
        try? FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
        return base + "/gatehouse"
    }
}
