import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import HTTPServer
@testable import SystemFixtures

@Suite struct UnixSocketFileTests {
    private let group = MultiThreadedEventLoopGroup.singleton
    private let folder: ScratchFolder
    private let path: String

    init() throws {
        folder = try ScratchFolder()
        path = folder.path("a.sock")
    }

    private func listen() async throws -> (file: UnixSocketFile, channel: any Channel) {
        try await UnixSocketFile.listen(at: path, ServerBootstrap(group: group), backlog: 16)
    }

    private var exists: Bool { FileManager.default.fileExists(atPath: path) }

    @Test func `its own socket file is removed`() async throws {
        let (file, channel) = try await listen()
        file.remove()
        #expect(!exists)
        try await channel.close()
    }

    @Test func `the socket of another listener is not removed`() async throws {
        let (old, oldChannel) = try await listen()
        try FileManager.default.removeItem(atPath: path)
        let (new, newChannel) = try await listen()
        old.remove()
        try await oldChannel.close()
        let client = try await ClientBootstrap(group: group).connect(unixDomainSocketPath: path).get()
        try await client.close()
        new.remove()
        #expect(!exists)
        try await newChannel.close()
    }

    @Test func `a file that is not a socket is not removed`() async throws {
        let (file, channel) = try await listen()
        try FileManager.default.removeItem(atPath: path)
        try folder.write("text", to: "a.sock")
        file.remove()
        try await channel.close()
        #expect(folder.read("a.sock") == "text")
    }

    @Test func `listening at an existing file fails`() async throws {
        try folder.write("text", to: "a.sock")
        try await UnixSocketFile.removeStaleSocket(at: path, on: group.next())
        await #expect(throws: IOError.self) { _ = try await listen() }
        #expect(folder.read("a.sock") == "text")
    }

    @Test func `only a stale socket file is removed`() async throws {
        let (_, channel) = try await listen()
        await #expect(throws: IOError.self) { try await UnixSocketFile.removeStaleSocket(at: path, on: group.next()) }
        #expect(exists)
        try await channel.close()
        try await UnixSocketFile.removeStaleSocket(at: path, on: group.next())
        #expect(!exists)
    }
}
