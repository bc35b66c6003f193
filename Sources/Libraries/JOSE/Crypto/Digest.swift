internal import CLibcrypto

/// A digest with a reusable context, so that hashing neither fetches the algorithm nor allocates. Not thread-safe.
struct Digest: ~Copyable {
    private let algorithm: OpaquePointer
    private let context: OpaquePointer
    /// The length of a hash in bytes.
    let size: Int

    /// Creates the digest that OpenSSL calls `name`. `nil` if libcrypto lacks it or an allocation fails.
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

    /// OpenSSL's handle, valid for the lifetime of this value.
    var handle: OpaquePointer { algorithm }

    /// Writes the hash of `bytes` to `output`, which has room for at least `size` bytes. Returns `false` if libcrypto
    /// fails.
    func hash(_ bytes: UnsafeRawBufferPointer, to output: UnsafeMutablePointer<UInt8>) -> Bool {
        // Without an algorithm, the context keeps its current one.
        EVP_DigestInit_ex2(context, nil, nil) == 1
            && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
            && EVP_DigestFinal_ex(context, output, nil) == 1
    }
}

/// SHA-256 with a reusable context. Not thread-safe: each worker has its own.
public final class SHA256Hasher {
    private let digest: Digest

    /// Creates a hasher. `nil` if libcrypto has no SHA-256 or an allocation fails.
    public init?() {
        guard let digest = Digest("SHA256") else { return nil }
        self.digest = digest
    }

    /// Returns the hash of `bytes`. `nil` if libcrypto fails.
    public func hash(_ bytes: UnsafeRawBufferPointer) -> SHA256Digest? {
        var result = SHA256Digest()
        let isDone = withUnsafeMutableBytes(of: &result.words) { output in
            output.withMemoryRebound(to: UInt8.self) { buffer in
                buffer.baseAddress.map { digest.hash(bytes, to: $0) } ?? false
            }
        }
        return isDone ? result : nil
    }

    /// Hashes an array like ``hash(_:)-(UnsafeRawBufferPointer)``.
    public func hash(_ bytes: [UInt8]) -> SHA256Digest? {
        bytes.withUnsafeBytes { hash($0) }
    }
}

/// A SHA-256 hash, stored inline: a key for tables that needs no allocation.
public struct SHA256Digest: Hashable, Sendable {
    /// The bytes, in memory order.
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    init() {}

    /// A placeholder with 32 zero bytes.
    public static var zero: SHA256Digest { SHA256Digest() }

    /// The 32 bytes.
    public var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

    /// The first 8 bytes as an integer, for hash tables. It is as uniform as the hash.
    public var prefix: UInt64 { words.0 }

    /// Calls `body` with the 32 bytes.
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try Swift.withUnsafeBytes(of: words, body)
    }

    /// Returns whether all bytes are equal.
    public static func == (a: SHA256Digest, b: SHA256Digest) -> Bool { a.words == b.words }

    /// Hashes the first 8 bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

/// Hashes `bytes` at load time. `nil` if libcrypto fails.
func sha256(_ bytes: [UInt8]) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: 32)
    return SHA256(bytes, bytes.count, &output) == nil ? nil : output
}

/// Comparison of secrets.
public enum ConstantTime {
    /// Returns whether both have the same bytes, in a time that depends only on the lengths.
    public static func equals(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
        let (a, b) = ([UInt8](a), [UInt8](b))
        return a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }
}
