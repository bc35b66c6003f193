internal import CLibcrypto

/// An owned public key of libcrypto.
///
/// `@unchecked Sendable`: the pointer never changes, and libcrypto permits concurrent reads of a key.
final class LibcryptoKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of `pointer`, an `EVP_PKEY`.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// Creates a key of OpenSSL's type `type` from the parameters that `build` returns. `nil` if libcrypto rejects
    /// them.
    ///
    /// A builder only references the pushed values, so `build` must call `OSSL_PARAM_BLD_to_param` during their
    /// lifetime. Names must outlive the parameters.
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

    /// Whether libcrypto's full check of the public key passes: the point is on the curve and has its order.
    var passesPublicCheck: Bool {
        defer { ERR_clear_error() }
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        return EVP_PKEY_public_check(context) == 1
    }
}
