internal import CLibcrypto

/// Comparison of secrets.
public enum ConstantTime {
    /// Whether both have the same bytes, in a time that depends on nothing but the lengths.
    public static func equals(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
        let (a, b) = ([UInt8](a), [UInt8](b))
        return a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }
}
