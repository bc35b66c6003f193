import Foundation
import Synchronization

/// A child process. `Process` of Foundation reads beyond a buffer, and crashes the tests, while more than 1,300 file
/// descriptors are open (pull request 5472 of swift-corelibs-foundation).
final class SpawnedProcess: Sendable {
    /// A standard stream of the process.
    enum Stream {
        case null
        case file(FileHandle)
        /// The process has the only copy of its end.
        case pipe(Pipe)
    }

    private struct State {
        var status: Int32?
        var listeners: [@Sendable (Int32) -> Void] = []
    }

    /// Kept by the thread that waits for the process.
    private final class Exit: Sendable {
        let state = Mutex(State())

        func ended(_ status: Int32) {
            let listeners = state.withLock { state in
                state.status = status
                defer { state.listeners = [] }
                return state.listeners
            }
            for listener in listeners { listener(status) }
        }
    }

    let pid: Int32
    private let exit = Exit()

    /// - Parameters:
    ///   - program: The path of the program.
    ///   - folder: The working directory. `nil` for that of the tests.
    ///   - environment: All variables of the process. `nil` for those of the tests.
    init(
        _ program: String, _ arguments: [String], in folder: String? = nil, environment: [String: String]? = nil,
        input: Stream = .null, output: Stream = .null, errors: Stream = .null
    ) throws {
        let null = try FileHandle(forUpdating: URL(filePath: "/dev/null"))
        let variables = environment ?? ProcessInfo.processInfo.environment
        let handles = [(input, true), (output, false), (errors, false)].map { stream, isInput in
            switch stream {
            case .null: null
            case .file(let handle): handle
            case .pipe(let pipe): isInput ? pipe.fileHandleForReading : pipe.fileHandleForWriting
            }
        }
        pid = try Self.spawn(
            [program] + arguments, variables.map { "\($0)=\($1)" }, in: folder, handles.map(\.fileDescriptor))
        for (handle, stream) in zip(handles, [input, output, errors]) {
            if case .pipe = stream { try? handle.close() }
        }
        Thread.detachNewThread { [pid, exit] in
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            // Without a signal, the exit code is the second byte.
            exit.ended(status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F)
        }
    }

    /// The exit code, or the number of the signal that ended the process. `nil` while it runs.
    var status: Int32? { exit.state.withLock { $0.status } }

    /// Calls `listener` once with the status, immediately or after the exit.
    func whenEnded(_ listener: @escaping @Sendable (Int32) -> Void) {
        let status = exit.state.withLock { state in
            if state.status == nil { state.listeners.append(listener) }
            return state.status
        }
        if let status { listener(status) }
    }

    /// Blocks until the exit.
    @discardableResult
    func wait() -> Int32 { wait(until: .distantFuture) ?? -1 }

    /// Blocks until the exit, or until a time at which the result is `nil`.
    func wait(until time: DispatchTime) -> Int32? {
        let ended = DispatchSemaphore(value: 0)
        whenEnded { _ in ended.signal() }
        return ended.wait(timeout: time) == .success ? status : nil
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String], in folder: String?, _ descriptors: [Int32]
    ) throws -> Int32 {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
            let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
            let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // A group of its own, and no blocked signals.
        posix_spawnattr_setflags(&attributes, Int16(flags))
        posix_spawnattr_setpgroup(&attributes, 0)
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        if let folder { _ = addWorkingDirectory(&actions, folder) }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        #if !canImport(Darwin)
            _ = addCloseFrom(&actions, 3)
        #endif
        var argumentPointers = arguments.map { strdup($0) } + [nil]
        var variablePointers = environment.map { strdup($0) } + [nil]
        defer { for pointer in argumentPointers + variablePointers { free(pointer) } }
        var pid: pid_t = 0
        let error = posix_spawn(&pid, arguments[0], &actions, &attributes, &argumentPointers, &variablePointers)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .ENOENT) }
        return pid
    }
}

#if canImport(Darwin)
    private let addWorkingDirectory = posix_spawn_file_actions_addchdir_np
#else
    // The C library declares these functions for GNU programs only.
    private typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>
    private let addWorkingDirectory = unsafeBitCast(
        dlsym(nil, "posix_spawn_file_actions_addchdir_np"),
        to: (@convention(c) (Actions, UnsafePointer<CChar>) -> Int32).self)
    private let addCloseFrom = unsafeBitCast(
        dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"), to: (@convention(c) (Actions, Int32) -> Int32).self)
#endif
