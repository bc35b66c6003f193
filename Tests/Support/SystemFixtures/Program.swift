import Foundation

/// Programs that run to their end.
enum Program {
    /// Where a program of Redis or OpenSSL is, on the usual paths.
    static func path(_ name: String) -> String {
        ["/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + name }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        } ?? name
    }

    /// What it printed to standard output; throws when it failed.
    @discardableResult
    static func run(_ name: String, _ arguments: [String], in folder: String = "/", environment: [String: String] = [:])
        throws -> String
    {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path(name))
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Impatience("\(name) \(arguments) to succeed") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
