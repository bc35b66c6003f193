import Foundation

/// A folder that is removed with its content when the last reference to it ends.
final class ScratchFolder: Sendable {
    let url: URL

    /// Makes an empty folder among the machine's temporary ones.
    init() throws {
        // Short, for sockets have a short limit for their paths.
        url = FileManager.default.temporaryDirectory.appending(path: "gatehouse-\(UUID().uuidString.prefix(13))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var path: String { url.path }

    /// The path of a file in it.
    func path(_ name: String) -> String { url.appending(path: name).path }

    /// Replaces a file's text.
    func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: url.appending(path: name)) }

    /// A file's text as it is now; empty if there is no file.
    func read(_ name: String) -> String {
        (try? Data(contentsOf: url.appending(path: name))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

/// The files of the repository, found from this one.
enum Repository {
    static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    /// The example configurations.
    static let configurations = root.appending(path: "config")
}
