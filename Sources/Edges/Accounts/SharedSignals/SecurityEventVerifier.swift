import Authentication
import GatewayCore
import JOSE
import Revocation

/// A verifier of security event tokens (RFC 8417, OpenID Shared Signals Framework 1.0 section 4).
struct SecurityEventVerifier: Sendable {
    /// The maximum age of an event after its `iat`, in seconds. Marks are kept longer, so that no event outlives its
    /// mark.
    static let longestLife = VerifiedEvent.longestLife
    /// The maximum time of `iat` after now, in seconds. A token of a clock that is ahead counts as issued now.
    static let furthestFuture: Int64 = 86_400
    /// The only accepted `typ`, in lower case. It distinguishes events from ID tokens with the same issuer.
    private static let type = "secevent+jwt"

    let transmitters: [EventTransmitter]
    let keys: any KeyWaiting
    let clockSkew: Int64
    let now: @Sendable () -> Int64

    /// Parses a token.
    static func parse(_ text: [UInt8]) throws(SecurityEventFailure) -> UnverifiedJWS {
        guard let token = try? UnverifiedJWS(text) else {
            throw .rejected(.request("The body is not a security event token: a JWS in compact serialization."))
        }
        return token
    }

    /// Returns the transmitter that a token names.
    func transmitter(of token: UnverifiedJWS) throws(SecurityEventFailure) -> EventTransmitter {
        guard let transmitter = transmitters.first(where: { $0.isIssuer(of: token.payload.root) }) else {
            throw .rejected(SecurityEventError(code: .invalidIssuer, description: "iss is not a known transmitter."))
        }
        return transmitter
    }

    /// Verifies a token of a transmitter.
    func verify(
        _ token: UnverifiedJWS, of transmitter: EventTransmitter
    ) async throws(SecurityEventFailure) -> SecurityEvent {
        let (keyID, algorithm) = try Self.checkHeader(of: token)
        guard transmitter.isIssuer(of: token.payload.root) else {
            throw .rejected(SecurityEventError(code: .invalidIssuer, description: "iss is not this transmitter."))
        }
        guard transmitter.isAudience(token.payload.root["aud"]) else {
            throw .rejected(SecurityEventError(code: .invalidAudience, description: "aud is not this receiver."))
        }
        switch await keys.key(kid: keyID, set: transmitter.keySet) {
        case .key(let key, _):
            guard let verified = token.verify(with: key, algorithm: algorithm) else {
                throw .rejected(.key("The signature is not valid."))
            }
            return try SecurityEvent(
                verified.payload.root, of: transmitter, now: UnixTime(clamping: now()), clockSkew: clockSkew)
        case .unknown: throw .rejected(.key("kid is not in the transmitter's key set."))
        // The transmitter may have added the key since the last fetch.
        case .unconfirmed(let retryAfter), .unavailable(let retryAfter):
            throw .unavailable(
                AccountDenial(Denial(.keysUnavailable, retryAfter: retryAfter), reason: "the transmitter's keys"))
        }
    }

    private static func checkHeader(
        of token: UnverifiedJWS
    ) throws(SecurityEventFailure) -> (keyID: String, algorithm: Algorithm) {
        guard token.type?.lowercased().utf8.elementsEqual(type.utf8) == true else {
            throw .rejected(.request("typ is not secevent+jwt."))
        }
        guard let algorithm = token.algorithm else { throw .rejected(.key("alg is not accepted.")) }
        guard let keyID = token.keyID, !keyID.isEmpty else { throw .rejected(.key("The header has no kid.")) }
        return (keyID, algorithm)
    }
}

/// A verified security event: signed by its transmitter for the gateway, not too old, and with a unique ID.
struct SecurityEvent: Sendable {
    let transmitter: EventTransmitter
    let type: SecurityEventType
    /// The members of the event.
    let payload: JSONValue
    /// The subject: `sub_id` of the token, or the `subject` of the event as earlier drafts and Google write it. `nil`
    /// without one.
    let subject: JSONValue?
    /// The time of the event: `event_timestamp`, otherwise `iat`. Never in the future.
    let time: UnixTime
    /// The key under which the event is marked as seen.
    let mark: SHA256Digest
    /// The lifetime of the mark, in seconds.
    let lifetime: Int64

    /// Reads the claims. `exp` and `sub`, which tokens must not have, are ignored.
    fileprivate init(
        _ claims: JSONValue, of transmitter: EventTransmitter, now: UnixTime, clockSkew: Int64
    ) throws(SecurityEventFailure) {
        self.transmitter = transmitter
        guard let events = claims["events"], events.kind == .object, events.count == 1,
            let event = events.members.first(where: { _ in true }), event.value.kind == .object
        else { throw .rejected(.request("events is not an object with exactly one event, which is an object.")) }
        type = SecurityEventType(uri: event.name)
        payload = event.value
        subject = claims["sub_id"] ?? payload["subject"]
        let issuedAt = try Self.issuedAt(claims, now: now)
        time = min(try Self.time(of: payload) ?? issuedAt, now)
        mark = try Self.mark(of: claims)
        let end = issuedAt.adding(SecurityEventVerifier.longestLife)
        // Another gateway's clock may be behind.
        lifetime = min(end.adding(clockSkew).seconds(since: now), StoreBounds.maximumLifetime)
    }

    private static func issuedAt(_ claims: JSONValue, now: UnixTime) throws(SecurityEventFailure) -> UnixTime {
        guard let issuedAt = claims["iat"]?.integer.flatMap(UnixTime.init(claim:)) else {
            throw .rejected(.request("iat is not a time."))
        }
        guard issuedAt <= now.adding(SecurityEventVerifier.furthestFuture) else {
            throw .rejected(.request("iat is more than a day in the future."))
        }
        guard now < issuedAt.adding(SecurityEventVerifier.longestLife) else {
            throw .rejected(.request("The event is older than 29 days."))
        }
        return issuedAt
    }

    /// Returns `event_timestamp` in seconds. Earlier drafts had milliseconds, which are later than any time in seconds.
    private static func time(of event: JSONValue) throws(SecurityEventFailure) -> UnixTime? {
        guard let claim = event["event_timestamp"] else { return nil }
        guard let time = claim.integer, time >= 0 else {
            throw .rejected(.request("event_timestamp is not a time."))
        }
        return UnixTime(time) ?? UnixTime(clamping: time / 1000)
    }

    private static func mark(of claims: JSONValue) throws(SecurityEventFailure) -> SHA256Digest {
        do throws(AccountDenial) {
            return try VerifiedEvent.mark(of: claims)
        } catch {
            guard error.denial.code.status >= 500 else {
                throw .rejected(.request("jti is not a string of 1 to \(VerifiedEvent.longestID) bytes."))
            }
            throw .unavailable(error)
        }
    }
}
