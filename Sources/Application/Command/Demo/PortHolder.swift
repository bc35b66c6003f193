import Foundation

/// The program that listens on a port of 127.0.0.1, read from Linux's `/proc`.
enum PortHolder {
    /// Hexadecimal local addresses of `/proc/net/tcp` and `/proc/net/tcp6` that include 127.0.0.1.
    private static let addresses: Set<Substring> = [
        "0100007F", "00000000", "00000000000000000000000000000000", "0000000000000000FFFF00000100007F",
    ]

    /// Returns the program's name and process, such as `node (process 4711)`. If the system does not report it, for
    /// example for a process of another user, returns `another program`.
    static func name(of port: UInt16) -> String {
        guard let socket = socket(of: port), let process = process(with: socket) else { return "another program" }
        let name = read("/proc/\(process)/comm").trimmingCharacters(in: .whitespacesAndNewlines)
        return "\(name.isEmpty ? "a program" : name) (process \(process))"
    }

    /// Returns the socket's name in the descriptor directories, `socket:[INODE]`.
    private static func socket(of port: UInt16) -> String? {
        let lines = (read("/proc/net/tcp") + read("/proc/net/tcp6")).split(separator: "\n")
        return lines.lazy.map { $0.split(separator: " ") }.first { columns in
            guard columns.count > 9, columns[3] == "0A" else { return false }
            let address = columns[1].split(separator: ":")
            return address.count == 2 && addresses.contains(address[0]) && UInt16(address[1], radix: 16) == port
        }.map { "socket:[\($0[9])]" }
    }

    private static func process(with socket: String) -> String? {
        let files = FileManager.default
        let entries = (try? files.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.first { process in
            let folder = "/proc/\(process)/fd"
            guard UInt32(process) != nil, let open = try? files.contentsOfDirectory(atPath: folder) else {
                return false
            }
            return open.contains { (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == socket }
        }
    }

    /// Returns the text of a file of `/proc`. Foundation takes the first short read for its end.
    private static func read(_ path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
