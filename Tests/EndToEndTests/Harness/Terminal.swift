import Foundation

@testable import SystemFixtures

/// A pseudo-terminal.
final class Terminal: Sendable {
    private let controller: FileHandle
    /// The end of the program that runs in the terminal.
    let side: FileHandle

    init() throws {
        let controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // TIOCSPTLCK and TIOCGPTN of Linux. The C library declares `unlockpt` and `ptsname` for GNU programs only.
        var (locked, number): (CInt, CInt) = (0, 0)
        guard controller >= 0, ioctl(controller, 0x4004_5431, &locked) == 0,
            ioctl(controller, 0x8004_5430, &number) == 0
        else { throw Impatience("a pseudo-terminal: \(errno)") }
        let side = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard side >= 0 else { throw Impatience("/dev/pts/\(number): \(errno)") }
        self.controller = FileHandle(fileDescriptor: controller, closeOnDealloc: true)
        self.side = FileHandle(fileDescriptor: side, closeOnDealloc: true)
    }
}
