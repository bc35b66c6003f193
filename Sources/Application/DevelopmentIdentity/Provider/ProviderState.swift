internal import JOSE

/// What a running provider can be told to change.
struct ProviderState {
    /// From when to when a certificate is valid, in seconds since 1970.
    typealias Validity = (notBefore: Int64, notAfter: Int64)

    struct Fault {
        let misbehaviour: Misbehaviour
        /// How many more answers it spoils; `nil` is all of them.
        var remaining: Int?
    }

    var keys: DevelopmentKeys
    var maxAge: Int
    var faults: [DevelopmentProvider.Endpoint: Fault] = [:]
    var validities: [String: Validity] = [:]
    /// Discovery documents that were changed.
    var discovery: [IdentityProvider: JSONObject] = [:]
    /// The provider's URL; it is known once it listens.
    var base = ""

    /// The fault that spoils the next answer of an endpoint; counts it down.
    mutating func takeFault(at endpoint: DevelopmentProvider.Endpoint) -> Misbehaviour? {
        guard let fault = faults[endpoint] else { return nil }
        if let remaining = fault.remaining {
            faults[endpoint] = remaining > 1 ? Fault(misbehaviour: fault.misbehaviour, remaining: remaining - 1) : nil
        }
        return fault.misbehaviour
    }

    /// The keys of one use as JWK Set.
    func jwkSet(_ use: DevelopmentKeys.Use) -> JSON {
        ["keys": .array(keys[use].map { .raw($0.jwk) })]
    }

    /// The keys of one use as `{kid: certificate}`; by default certificates are valid from a day ago for 16 days.
    func x509Map(_ use: DevelopmentKeys.Use, now: Int64) throws(SigningKeyError) -> JSON {
        var map = JSONObject()
        for key in keys[use] {
            let validity = validities[key.keyID] ?? (now - 86_400, now + 15 * 86_400)
            let pem = try key.certificatePEM(
                commonName: "securetoken.system.gserviceaccount.com", notBefore: validity.notBefore,
                notAfter: validity.notAfter)
            map[key.keyID] = .string(String(decoding: pem, as: UTF8.self))
        }
        return .object(map)
    }
}
