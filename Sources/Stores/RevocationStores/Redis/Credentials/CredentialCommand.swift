import Dispatch
import Foundation

/// One run of a program that prints credentials.
///
/// The program has the environment of the gateway, no input, and no error output, which might contain the password.
enum CredentialCommand {
    /// The maximum time of a run.
    static let timeout = Duration.seconds(10)

    /// Runs a program and returns its output. A program that prints too much or takes too long is killed.
    ///
    /// - Parameter arguments: The absolute path of the program, and its arguments.
    static func output(
        of arguments: [String], within limit: Duration = timeout
    ) async -> Result<[UInt8], FetchedCredentials.Failure> {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: Result { () throws(FetchedCredentials.Failure) in try run(arguments, within: limit) })
            }
        }
    }

    private static func run(
        _ arguments: [String], within limit: Duration
    ) throws(FetchedCredentials.Failure) -> [UInt8] {
        let process = Process()
        let output = Pipe()
        let end = DispatchSemaphore(value: 0)
        process.executableURL = URL(fileURLWithPath: arguments.first ?? "/")
        process.arguments = Array(arguments.dropFirst())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { _ in end.signal() }
        let deadline = ContinuousClock.now + limit
        do { try process.run() } catch {
            throw FetchedCredentials.Failure("the program cannot be run; check its path and permissions")
        }
        try? output.fileHandleForWriting.close()
        do throws(FetchedCredentials.Failure) {
            let bytes = try read(output.fileHandleForReading.fileDescriptor, until: deadline)
            guard end.wait(timeout: .now() + .milliseconds(milliseconds(until: deadline))) == .success else {
                throw late
            }
            guard process.terminationReason == .exit, process.terminationStatus == 0 else {
                throw FetchedCredentials.Failure("the program failed with status \(process.terminationStatus)")
            }
            return bytes
        } catch {
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            throw error
        }
    }

    /// Reads until the end. A child of the program can keep the pipe open, so each wait has a limit.
    private static func read(
        _ descriptor: Int32, until deadline: ContinuousClock.Instant
    ) throws(FetchedCredentials.Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let left = milliseconds(until: deadline)
            guard left > 0 else { throw late }
            let isReady = poll(&state, 1, Int32(clamping: left))
            if isReady == 0 || isReady < 0 && errno == EINTR { continue }
            let count = Foundation.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= FetchedCredentials.maximumSize else {
                throw FetchedCredentials.Failure("more than \(FetchedCredentials.maximumSize) bytes")
            }
        }
    }

    private static let late = FetchedCredentials.Failure("the program did not end within its time")

    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int {
        let (seconds, attoseconds) = (deadline - ContinuousClock.now).components
        return max(Int(seconds * 1000 + attoseconds / 1_000_000_000_000_000), 0)
    }
}
