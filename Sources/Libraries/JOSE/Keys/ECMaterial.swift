internal import CLibcrypto

/// A point on a curve: big-endian coordinates, as long as the curve's field.
struct ECMaterial: KeyMaterial {
    let curve: EllipticCurve
    let x: [UInt8]
    let y: [UInt8]

    var kind: PublicKey.Kind { .ec(curve) }

    var algorithms: Set<Algorithm> { [curve.algorithm] }

    var thumbprintInput: [UInt8] {
        let name = curve.rawValue
        let text = #"{"crv":"\#(name)","kty":"EC","x":"\#(Base64URL.encode(x))","y":"\#(Base64URL.encode(y))"}"#
        return [UInt8](text.utf8)
    }

    func makeKey() throws(UnfitKey) -> LibcryptoKey {
        guard x.count == curve.width, y.count == curve.width else {
            throw UnfitKey("coordinates are not \(curve.width) bytes long")
        }
        let uncompressed = [0x04] + x + y
        let key = LibcryptoKey(type: "EC") { builder in
            curve.rawValue.withCString { group in
                uncompressed.withUnsafeBytes { point in
                    guard OSSL_PARAM_BLD_push_utf8_string(builder, EC_GROUP_PARAMETER, group, 0) == 1,
                        OSSL_PARAM_BLD_push_octet_string(
                            builder, EC_POINT_PARAMETER, point.baseAddress, point.count) == 1
                    else { return nil }
                    return OSSL_PARAM_BLD_to_param(builder)
                }
            }
        }
        guard let key, key.passesPublicCheck else { throw UnfitKey("point is not on \(curve.rawValue)") }
        return key
    }
}
