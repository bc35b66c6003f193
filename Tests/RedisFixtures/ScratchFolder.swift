import Foundation

/// A folder that is removed with its content when nobody holds it any more.
public final class ScratchFolder: Sendable {
    /// Where it is.
    public let path: String

    /// Makes an empty folder among the machine's temporary ones.
    public init() throws {
        // Short, for sockets have a short limit for their paths.
        path = FileManager.default.temporaryDirectory.appending(path: "gh-redis-\(UUID().uuidString.prefix(13))").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in it.
    public func path(_ name: String) -> String { path + "/" + name }

    /// Replaces a file's text.
    public func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }

    /// A file's text as it is now; empty where there is none.
    public func read(_ name: String) -> String {
        FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
