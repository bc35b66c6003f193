import Foundation
import Revocation

/// A file with the revocation view and its position in the change stream, so that a start need not read all records.
///
/// The file has a header and blocks: each block is its kind (1 byte), the size of its payload (4 bytes, little-endian),
/// the payload, and the SHA-256 of the previous block's SHA-256 and all of that. So no block can be damaged, missing or
/// moved unnoticed. A block of records has 24 bytes for each: both words of the key and the record. The last block is
/// empty. A file is written under another name and renamed when it is on disk.
struct SavedView {
    /// The first bytes of a file, with the version of the format.
    static let magic = Array("gatehouse-view-1\n".utf8)
    /// The maximum number of records of a block.
    static let blockRecords = 32_768
    /// The maximum size of the header block's payload, in bytes.
    static let maximumHeader = 4096
    static let recordSize = 24

    enum Kind: UInt8 {
        case header = 1
        case users
        case sessions
        case end
    }

    /// The reason that a file is not used.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// The path of the file.
    let path: String
    /// The Redis and database that the file belongs to.
    let store: String
}

// MARK: - Writing

extension SavedView {
    /// Writes a view that contains everything up to a position. Records may be newer than the position.
    func write(_ view: StoreView, _ saved: SavedPosition) throws(Failure) {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure("\(temporary) cannot be created (errno \(errno))") }
        do throws(Failure) {
            defer { close(descriptor) }
            var writer = try BlockWriter(descriptor)
            try writer.write(Self.magic)
            try writer.append(.header, try header(saved))
            for slice in 0..<StoreView.sweepSlices {
                try Self.append(view.userRecords(slice: slice), as: .users, to: &writer)
                try Self.append(view.sessionRecords(slice: slice), as: .sessions, to: &writer)
            }
            try writer.append(.end, [])
            guard fsync(descriptor) == 0 else { throw Failure("\(temporary) cannot be written (errno \(errno))") }
            guard rename(temporary, path) == 0 else { throw Failure("\(path) cannot be replaced (errno \(errno))") }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private static func append(
        _ records: [(key: StoreKey, word: RecordWord)], as kind: Kind, to writer: inout BlockWriter
    ) throws(Failure) {
        for start in stride(from: 0, to: records.count, by: blockRecords) {
            var payload: [UInt8] = []
            payload.reserveCapacity(blockRecords * recordSize)
            for (key, word) in records[start..<min(start + blockRecords, records.count)] {
                for number in [key.high, key.low, word.savedBits] {
                    withUnsafeBytes(of: number.littleEndian) { payload += $0 }
                }
            }
            try writer.append(kind, payload)
        }
    }

    private func header(_ saved: SavedPosition) throws(Failure) -> [UInt8] {
        let header = SavedHeader(store: store, saved)
        guard let bytes = try? JSONEncoder().encode(header), bytes.count <= Self.maximumHeader else {
            throw Failure("the position cannot be saved")
        }
        return [UInt8](bytes)
    }
}

/// The payload of the header block.
private struct SavedHeader: Codable {
    var store: String
    var id: String
    var added: UInt64?
    var shown: String
    var server: [[UInt8]]

    init(store: String, _ saved: SavedPosition) {
        self.store = store
        (id, shown) = (saved.position.id.description, saved.position.shown.description)
        added = saved.position.added
        server = saved.server.names
    }

    var position: SavedPosition? {
        guard let id = ReplicaStreamID(parsing: id.utf8), let shown = ReplicaStreamID(parsing: shown.utf8) else {
            return nil
        }
        return SavedPosition(
            position: ReplicaPosition(id: id, added: added, shown: shown),
            server: ReplicaIdentity(names: server, isMaster: true))
    }
}

// MARK: - Reading

extension SavedView {
    /// Reads the file into an empty view. `nil` if there is no file.
    ///
    /// The whole file is checked before the view changes.
    ///
    /// - Throws: The reason that the file is not used. The view is then unchanged.
    func load(into view: StoreView) throws(Failure) -> SavedPosition? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Failure("\(path) cannot be read (errno \(errno))")
        }
        defer { close(descriptor) }
        try checkAccess(descriptor)
        let position = try read(descriptor) { _, _, _ in }
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Failure("\(path) cannot be read (errno \(errno))") }
        _ = try read(descriptor) { kind, key, word in
            if kind == .users { view.setUser(key, to: word) } else { view.setSession(key, to: word) }
        }
        return position
    }

    /// Whoever can write the file can remove revocations.
    private func checkAccess(_ descriptor: Int32) throws(Failure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure("\(path) is not a file")
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw Failure("\(path) can be written by other users; remove it, and check its folder")
        }
    }

    private func read(
        _ descriptor: Int32, _ body: (Kind, StoreKey, RecordWord) -> Void
    ) throws(Failure) -> SavedPosition {
        var reader = try BlockReader(descriptor, path: path)
        guard try reader.bytes(Self.magic.count) == Self.magic else {
            throw Failure("\(path) is not a saved view, or one of another version")
        }
        guard case (.header, let payload) = try reader.next(atMost: Self.maximumHeader),
            let header = try? JSONDecoder().decode(SavedHeader.self, from: Data(payload)),
            let position = header.position
        else { throw reader.damaged }
        guard header.store == store else { throw Failure("\(path) belongs to another store") }
        while true {
            let (kind, payload) = try reader.next(atMost: Self.blockRecords * Self.recordSize)
            switch kind {
            case .header: throw reader.damaged
            case .end: return position
            case .users, .sessions: try Self.records(payload, kind, reader.damaged, body)
            }
        }
    }

    private static func records(
        _ payload: [UInt8], _ kind: Kind, _ damaged: Failure, _ body: (Kind, StoreKey, RecordWord) -> Void
    ) throws(Failure) {
        guard payload.count.isMultiple(of: recordSize) else { throw damaged }
        payload.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: recordSize) {
                func number(_ offset: Int) -> UInt64 {
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self))
                }
                body(kind, StoreKey(high: number(0), low: number(8)), RecordWord(savedBits: number(16)))
            }
        }
    }
}
