import Foundation
import GatewayCore

extension ConfigurationValue {
    /// Returns the path of a file that is read. A relative path starts at the folder of the configuration file.
    func path() -> String? {
        string().map { context.path($0, of: name, at: location) }
    }
}

extension LoadingContext {
    /// Returns a path of the file, relative to its folder, as a path that can be opened.
    ///
    /// Earlier versions started at the working directory. A file that exists only there is used, with a warning.
    ///
    /// - Parameters:
    ///   - name: The name of the setting in warnings.
    ///   - scheme: The text before the path in the file, such as `sqlite:`.
    ///   - isRead: Whether a change of the file causes a reload.
    func path(
        _ path: String, of name: String, at location: SourceLocation, after scheme: String = "", isRead: Bool = true
    ) -> String {
        let folder = substitution.directory
        guard folder != ".", !path.hasPrefix("/") else { return path }
        let resolved = folder == "/" ? "/\(path)" : "\(folder)/\(path)"
        guard substitution.files == nil, let old = FileFingerprint(of: path) else { return resolved }
        guard let new = FileFingerprint(of: resolved) else {
            // A reload uses the file as soon as it exists.
            if isRead { FileLedger.record(resolved) }
            warn(
                location,
                "\(name) is \(Quoted(path)) of the working directory, as in earlier versions, since there is no "
                    + "\(Quoted(resolved))",
                "write \(scheme)\(Self.path(to: path, from: folder)), relative to the folder of this file")
            return path
        }
        guard new != old else { return resolved }
        warn(
            location,
            "\(name) is \(Quoted(resolved)); \(Quoted(path)) of the working directory, which earlier versions used, "
                + "is not used", "remove the wrong one, or write an absolute path")
        return resolved
    }

    /// Returns the relative path from a folder to an existing file, or an absolute path if links make it invalid.
    private static func path(to file: String, from folder: String) -> String {
        let (target, base) = (components(of: file), components(of: folder))
        let common = zip(target, base).prefix { $0 == $1 }.count
        let parts = Array(repeating: "..", count: base.count - common) + target[common...]
        let relative = parts.joined(separator: "/")
        let isSame = FileFingerprint(of: "\(folder)/\(relative)") == FileFingerprint(of: file)
        return isSame ? relative : "/" + target.joined(separator: "/")
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
