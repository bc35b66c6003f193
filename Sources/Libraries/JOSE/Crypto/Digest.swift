internal import CLibcrypto

/// A digest with its context kept, so that hashing neither fetches nor allocates. For one thread at a time.
struct Digest: ~Copyable {
    private let algorithm: OpaquePointer
    private let context: OpaquePointer
    /// The length of a hash in bytes.
    let size: Int

    /// The digest that OpenSSL calls `name`; nil when libcrypto has none or is out of memory.
    init?(_ name: String) {
        guard let algorithm = EVP_MD_fetch(nil, name, nil) else {
            ERR_clear_error()
            return nil
        }
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex2(context, algorithm, nil) == 1 else {
            EVP_MD_free(algorithm)
            return nil
        }
        self.algorithm = algorithm
        self.context = context
        size = Int(EVP_MD_get_size(algorithm))
    }

    deinit {
        EVP_MD_CTX_free(context)
        EVP_MD_free(algorithm)
    }

    /// OpenSSL's handle, valid as long as this is.
    var handle: OpaquePointer { algorithm }

    /// Writes the hash of `bytes` to `output`, which holds at least `size` bytes.
    func hash(_ bytes: UnsafeRawBufferPointer, to output: UnsafeMutablePointer<UInt8>) -> Bool {
        // Without an algorithm the context keeps the one that it has.
        EVP_DigestInit_ex2(context, nil, nil) == 1
            && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
            && EVP_DigestFinal_ex(context, output, nil) == 1
    }
}
