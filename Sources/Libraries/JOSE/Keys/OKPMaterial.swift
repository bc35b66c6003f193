internal import CLibcrypto

/// An Ed25519 public key (RFC 8037 section 2).
struct OKPMaterial: KeyMaterial {
    let x: [UInt8]

    var kind: PublicKey.Kind { .ed25519 }

    var algorithms: Set<Algorithm> { [.edDSA] }

    var thumbprintInput: [UInt8] {
        [UInt8](#"{"crv":"Ed25519","kty":"OKP","x":"\#(Base64URL.encode(x))"}"#.utf8)
    }

    func makeKey() throws(UnfitKey) -> LibcryptoKey {
        guard x.count == Ed25519.keyLength else { throw UnfitKey("Ed25519 key is not 32 bytes long") }
        guard !Ed25519.hasSmallOrder(x) else { throw UnfitKey("Ed25519 key has small order") }
        guard Ed25519.isCanonical(x) else { throw UnfitKey("Ed25519 key is not canonical") }
        guard Ed25519.isOnCurve(x) else { throw UnfitKey("Ed25519 key is not a point") }
        guard let key = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, x, x.count) else {
            ERR_clear_error()
            throw UnfitKey("Ed25519 key refused by libcrypto")
        }
        return LibcryptoKey(owning: key)
    }
}
