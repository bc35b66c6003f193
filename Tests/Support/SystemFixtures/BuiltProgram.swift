import Foundation

/// The built programs of the package.
enum BuiltProgram {
    /// The gateway, which is in the same folder as the tests.
    static let gatehouse: URL = {
        let bundles = [Bundle.main.executableURL] + Bundle.allBundles.map(\.bundleURL)
        let folders = bundles.compactMap { $0?.deletingLastPathComponent() }
        let programs = folders.map { $0.appending(path: "gatehouse") }
        return programs.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? programs[0]
    }()
}
