import Foundation

/// A folder that is removed with its content when its last reference is released.
final class ScratchFolder: Sendable {
    let url: URL

    /// Creates an empty folder in the system's folder of temporary files.
    init() throws {
        // The name is short, because the path length of sockets is limited.
        url = FileManager.default.temporaryDirectory.appending(path: "gatehouse-\(UUID().uuidString.prefix(13))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var path: String { url.path }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { url.appending(path: name).path }

    /// Replaces the text of a file.
    func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: url.appending(path: name)) }

    /// The current text of a file. Empty if there is no file.
    func read(_ name: String) -> String {
        (try? Data(contentsOf: url.appending(path: name))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

/// The files of the repository, relative to this source file.
enum Repository {
    static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    /// The example configurations.
    static let configurations = root.appending(path: "config")
}
