import Foundation
import GatewayCore
import Synchronization

extension ConfigurationValue {
    /// Returns the path of a file that is read. A relative path starts at the folder of the configuration file.
    func path() -> String? {
        string().map { context.path($0, of: name, at: location) }
    }
}

extension LoadingContext {
    /// The use of a file, which decides about a file of that name in the working directory.
    enum FileUse {
        /// It is read, and a change of it causes a reload.
        case read
        /// It has lines appended, and is created if it is missing.
        case log
        /// It has the revocations. Two of them are an error, because one is out of date.
        case store
    }

    /// The paths that started at the working directory when the process loaded its first configuration. A reload uses
    /// the working directory for these only, so that a file that is being replaced has no substitute.
    private static let fallbacks = Mutex<Set<String>>([])

    /// Returns a path of the file, relative to its folder, as a path that can be opened.
    ///
    /// Earlier versions started at the working directory. A file that exists only there is used, with a warning.
    ///
    /// - Parameters:
    ///   - name: The name of the setting in messages.
    ///   - scheme: The text before the path in the file, such as `sqlite:`.
    func path(
        _ path: String, of name: String, at location: SourceLocation, after scheme: String = "",
        for use: FileUse = .read
    ) -> String {
        let folder = substitution.directory
        guard folder != ".", !path.hasPrefix("/") else { return path }
        let resolved = folder == "/" ? "/\(path)" : "\(folder)/\(path)"
        guard substitution.files == nil else { return resolved }
        if fallsBack(from: resolved, to: path, use) {
            // A reload uses the file as soon as it exists.
            if use == .read { FileLedger.record(resolved) }
            warn(
                location,
                "\(name) is \(Quoted(path)) of the working directory, as in earlier versions, since there is no "
                    + "\(Quoted(resolved))", "write \(Self.advice(path, folder, scheme))")
            return path
        }
        guard Self.isThere(path), FileFingerprint.exists(resolved), !FileFingerprint.areSameFile(path, resolved) else {
            return resolved
        }
        if use == .store, !FileLedger.isOfReload {
            storeConflict = ConfigurationError(
                location: location,
                what: "there are two stores: \(Quoted(resolved)), and \(Quoted(path)) of the working directory, which "
                    + "earlier versions used",
                remedy: "move the one without the current revocations away, or write an absolute path")
        } else {
            warn(
                location,
                "\(name) is \(Quoted(resolved)); \(Quoted(path)) of the working directory, which earlier versions used, "
                    + "is not used", "remove the wrong one, or write an absolute path")
        }
        return resolved
    }

    private func fallsBack(from resolved: String, to path: String, _ use: FileUse) -> Bool {
        if FileLedger.isOfReload {
            // The store and the log of a running gateway stay, whatever appears in the folder.
            return Self.fallbacks.withLock { $0.contains(path) } && (use != .read || !FileFingerprint.exists(resolved))
        }
        guard !FileFingerprint.exists(resolved) else { return false }
        let isThere =
            Self.isThere(path)
            || use == .log && Self.isThere(Self.folder(of: path)) && !FileFingerprint.exists(Self.folder(of: resolved))
        if isThere { Self.fallbacks.withLock { _ = $0.insert(path) } }
        return isThere
    }

    private static func advice(_ file: String, _ folder: String, _ scheme: String) -> String {
        let path = path(to: file, from: folder)
        guard path.hasPrefix("/") else { return "\(scheme)\(path), relative to the folder of this file" }
        return scheme == "./" ? path : scheme + path
    }

    /// Returns whether the working directory has the file. A folder that cannot be searched has none.
    private static func isThere(_ path: String) -> Bool { FileFingerprint(of: path) != nil }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Returns the relative path from a folder to an existing file, or an absolute path if links make it invalid.
    private static func path(to file: String, from folder: String) -> String {
        let (target, base) = (components(of: file), components(of: folder))
        let common = zip(target, base).prefix { $0 == $1 }.count
        let parts = Array(repeating: "..", count: base.count - common) + target[common...]
        let relative = parts.joined(separator: "/")
        return FileFingerprint.areSameFile("\(folder)/\(relative)", file)
            ? relative : "/" + target.joined(separator: "/")
    }

    /// Returns the components of the absolute path, without `.` and `..`.
    private static func components(of path: String) -> [Substring] {
        let absolute = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        return absolute.split(separator: "/").reduce(into: []) { parts, part in
            switch part {
            case ".": break
            case "..": _ = parts.popLast()
            default: parts.append(part)
            }
        }
    }
}
