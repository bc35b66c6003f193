import Foundation
import JOSE

/// A chain of SHA-256: each block's depends on all earlier blocks.
private struct BlockChain {
    private let hasher: SHA256Hasher
    private var last: [UInt8] = []

    init() throws(SavedView.Failure) {
        guard let hasher = SHA256Hasher() else { throw Self.failure }
        self.hasher = hasher
    }

    mutating func next(_ block: [UInt8]) throws(SavedView.Failure) -> [UInt8] {
        guard let digest = hasher.hash(last + block) else { throw Self.failure }
        last = digest.withUnsafeBytes { Array($0) }
        return last
    }

    private static let failure = SavedView.Failure("libcrypto could not compute a SHA-256")
}

/// A writer of the blocks of a saved view.
struct BlockWriter {
    private let descriptor: Int32
    private var chain: BlockChain

    init(_ descriptor: Int32) throws(SavedView.Failure) {
        self.descriptor = descriptor
        chain = try BlockChain()
    }

    mutating func append(_ kind: SavedView.Kind, _ payload: [UInt8]) throws(SavedView.Failure) {
        var block = [kind.rawValue]
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: payload.count).littleEndian) { block += $0 }
        block += payload
        let digest = try chain.next(block)
        try write(block + digest)
    }

    func write(_ bytes: [UInt8]) throws(SavedView.Failure) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                Foundation.write(descriptor, bytes.baseAddress.map { $0 + start }, bytes.count - start)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SavedView.Failure("the view cannot be saved (errno \(errno))") }
            start += count
        }
    }
}

/// A reader of the blocks of a saved view.
struct BlockReader {
    private static let headSize = 5
    private static let digestSize = 32

    private let descriptor: Int32
    private let path: String
    private var chain: BlockChain

    init(_ descriptor: Int32, path: String) throws(SavedView.Failure) {
        (self.descriptor, self.path) = (descriptor, path)
        chain = try BlockChain()
    }

    var damaged: SavedView.Failure { SavedView.Failure("\(path) is damaged or incomplete") }

    /// Returns the next block.
    ///
    /// - Throws: If its checksum is wrong, or its payload is larger than `maximum`.
    mutating func next(atMost maximum: Int) throws(SavedView.Failure) -> (SavedView.Kind, [UInt8]) {
        let head = try bytes(Self.headSize)
        let size = head.withUnsafeBytes {
            UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
        }
        guard let kind = SavedView.Kind(rawValue: head[0]), size <= maximum else { throw damaged }
        let payload = try bytes(Int(size))
        let digest = try bytes(Self.digestSize)
        guard try chain.next(head + payload) == digest else { throw damaged }
        return (kind, payload)
    }

    /// Returns exactly this number of bytes.
    func bytes(_ count: Int) throws(SavedView.Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var start = 0
        while start < count {
            let got = bytes.withUnsafeMutableBytes { bytes in
                Foundation.read(descriptor, bytes.baseAddress.map { $0 + start }, count - start)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw damaged }
            start += got
        }
        return bytes
    }
}
