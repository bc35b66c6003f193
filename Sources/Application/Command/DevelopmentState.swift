import Foundation

/// The directory of the development identity's keys, which several commands share, and of the demo's tokens.
enum DevelopmentState {
    /// Returns `$XDG_STATE_HOME/gatehouse`, by default `~/.local/state/gatehouse`. It is created when keys are written.
    static func directory() -> String {
        let environment = ProcessInfo.processInfo.environment
        // Relative paths must be ignored, and the default is below $HOME (XDG Base Directory Specification).
        let absolute = { (name: String) in environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let home = absolute("HOME") ?? FileManager.default.homeDirectoryForCurrentUser.path
        let base = absolute("XDG_STATE_HOME") ?? home + "/.local/state"
        try? FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
        return base + "/gatehouse"
    }
}
