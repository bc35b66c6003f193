internal import CLibcrypto

/// A public key of libcrypto, owned.
///
/// `@unchecked Sendable`: the pointer never changes, and libcrypto allows a key that is only read to be used by many
/// threads at once.
final class LibcryptoKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over `pointer`, an `EVP_PKEY`.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// Makes the key of the type that OpenSSL calls `type` from the parameters that `build` makes with a builder; nil when
    /// libcrypto refuses it.
    ///
    /// A builder only points to the values that are pushed, so `build` has to call `OSSL_PARAM_BLD_to_param` while they
    /// exist; names must outlive the parameters.
    convenience init?(type: String, _ build: (OpaquePointer) -> UnsafeMutablePointer<OSSL_PARAM>?) {
        defer { ERR_clear_error() }
        guard let builder = OSSL_PARAM_BLD_new() else { return nil }
        defer { OSSL_PARAM_BLD_free(builder) }
        guard let parameters = build(builder) else { return nil }
        defer { OSSL_PARAM_free(parameters) }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, type, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY_SELECTION, parameters) == 1, let key
        else { return nil }
        self.init(owning: key)
    }

    /// Whether libcrypto's full check of a public key passes: a point that is on its curve and of its order.
    var passesPublicCheck: Bool {
        defer { ERR_clear_error() }
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        return EVP_PKEY_public_check(context) == 1
    }
}
