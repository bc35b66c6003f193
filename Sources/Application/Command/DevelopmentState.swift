import Foundation

/// The storage of the development identity's keys, so that several commands share them.
enum DevelopmentState {
    /// Returns `$XDG_STATE_HOME/gatehouse`, by default `~/.local/state/gatehouse`. It is created when keys are written.
    static func directory() -> String {
        let environment = ProcessInfo.processInfo.environment
        let home = FileManager.default.homeDirectoryForCurrentUser.path
        // Relative paths must be ignored (XDG Base Directory Specification).
        let base = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/state"
        try? FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
        return base + "/gatehouse"
    }
}
