import Authentication
import GatewayCore
import JOSE
import Revocation

/// A provider's event that counts: signed for us, of now, and with a name of its own.
struct VerifiedEvent: Sendable {
    /// How long an event counts at most, in seconds after `iat`, whatever its `exp` says. A mark can be kept for longer, so that no event outlives
    /// its mark.
    static let longestLife: Int64 = 29 * 86_400
    /// The longest `jti`, in bytes.
    static let longestID = 1024

    let signed: SignedEvent
    /// What it is remembered by.
    let mark: SHA256Digest
    /// How long it has to be remembered, in seconds.
    let lifetime: Int64

    init(_ signed: SignedEvent, form: EventForm, now: Int64) throws(Refusal) {
        let end = try Self.end(of: signed, form)
        guard end.isAfter(now) else { throw .event("too long ago") }
        self.signed = signed
        mark = try Self.mark(of: signed.claims)
        // Another gateway's clock may be behind.
        let left = end.adding(signed.verifier.clockSkew).seconds(since: UnixTime(clamping: now))
        lifetime = min(left, StoreBounds.maximumLifetime)
    }

    private static func end(of signed: SignedEvent, _ form: EventForm) throws(Refusal) -> UnixTime {
        guard let expiresAt = signed.expiresAt else {
            guard let life = form.lifeWithoutExpiry else { throw .event("no exp") }
            return signed.issuedAt.adding(life)
        }
        return min(expiresAt, signed.issuedAt.adding(longestLife))
    }

    /// SHA-256 of `iss` and `jti`, each after its length, so that no two pairs are one text.
    private static func mark(of claims: JSONValue) throws(Refusal) -> SHA256Digest {
        guard let id = claims["jti"]?.string, (1...longestID).contains(id.utf8.count) else {
            throw .event("jti is not a text of 1 to \(longestID) bytes")
        }
        var bytes: [UInt8] = []
        for text in [claims["iss"]?.string ?? "", id] {
            withUnsafeBytes(of: UInt64(text.utf8.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: text.utf8)
        }
        return try Refusal.hash(bytes)
    }
}
