internal import CLibcrypto

/// Bytes that libcrypto writes to a memory BIO.
enum OutputMemory {
    /// What `write` put into the BIO it was given; `nil` when it failed.
    static func collect(_ write: (OpaquePointer) -> Bool) -> [UInt8]? {
        guard let bio = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(bio) }
        guard write(bio) else { return nil }
        let count = BIO_ctrl_pending(bio)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, Int(BIO_read(bio, buffer.baseAddress, Int32(count))))
        }
    }
}
