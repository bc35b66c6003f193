import Foundation

/// The files of the repository, found from this one.
enum Repository {
    static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    /// The example configurations.
    static let configurations = root.appending(path: "config")
}
