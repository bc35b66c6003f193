import Authentication
import GatewayCore
package import JOSE
import Revocation

/// The signer of identity assertions: a JWT (RFC 7519) for one upstream in a header field, signed with the gateway's
/// own key.
package struct AssertionSigner: Sendable {
    /// The `typ` of the JWT's header. No other signed token has it, so that neither can be mistaken for the other (RFC
    /// 8725 section 3.11).
    static let type = "gatehouse-assertion+jwt"

    /// `X-Auth-Assertion: ` and the token's encoded header with the dot.
    private let beginning: [UInt8]
    /// The length of the field's name, the colon and the space.
    private let nameLength: Int
    /// The claims up to the audience's value.
    private let claimsBeginning: [UInt8]
    /// The name of each upstream, as JSON.
    private let audiences: [[UInt8]]
    private let lifetime: Int64
    private let sign: Sign

    /// A function that returns the 64 bytes of a signature (RFC 7518 section 3.4). `nil` on failure.
    package typealias Sign = @Sendable ([UInt8]) -> [UInt8]?

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - field: The name of the header field.
    ///   - issuer: The `iss`.
    ///   - audiences: The names of the upstreams, by index.
    ///   - lifetime: The lifetime, in seconds.
    ///   - sign: A replacement of the key's signature. If `nil`, the key signs.
    package init(
        key: SigningKey, field: String, issuer: String, audiences: [String], lifetime: Int64, sign: Sign? = nil
    ) {
        let header = Array(key.header(type: Self.type).utf8)
        beginning = Array("\(field): \(Base64URL.encode(header)).".utf8)
        nameLength = field.utf8.count + 2
        var claims = Array("{\"iss\":".utf8)
        JSONWriter.appendString(issuer, to: &claims)
        claimsBeginning = claims + Array(",\"aud\":".utf8)
        self.audiences = audiences.map { name in
            var json: [UInt8] = []
            JSONWriter.appendString(name, to: &json)
            return json
        }
        self.lifetime = lifetime
        self.sign = sign ?? { try? key.signature(over: $0) }
    }

    /// Returns the line for one upstream, from the cache or newly signed. `nil` if signing fails.
    func line(for entry: VerifiedTokenCache.Entry, upstream: Int, now: Int64) -> [UInt8]? {
        if let line = entry.assertions.line(for: upstream, now: now) { return line }
        guard let assertion = assertion(of: entry.principal, for: upstream, now: now) else { return nil }
        entry.assertions.keep(assertion)
        return assertion.line
    }

    /// Signs an assertion. It expires with the user's token at the latest.
    private func assertion(of principal: Principal, for upstream: Int, now: Int64) -> SignedAssertions.Assertion? {
        let now = UnixTime(clamping: now)
        let end = min(now.adding(lifetime), principal.expiresAt)
        var line = beginning
        let claims = claims(of: principal, for: audiences[upstream], issuedAt: now, end: end)
        Base64URL.encode(claims, into: &line)
        guard let signature = sign(Array(line[nameLength...])), signature.count == Self.signatureSize else {
            return nil
        }
        line.append(UInt8(ascii: "."))
        Base64URL.encode(signature, into: &line)
        line.append(contentsOf: "\r\n".utf8)
        return SignedAssertions.Assertion(
            upstream: upstream, line: line, issuedAt: now, renewAt: now.adding(max(end.seconds(since: now) / 2, 1)))
    }

    private func claims(
        of principal: Principal, for audience: [UInt8], issuedAt: UnixTime, end: UnixTime
    ) -> [UInt8] {
        var json = claimsBeginning
        json.append(contentsOf: audience)
        json.append(contentsOf: ",\"sub\":".utf8)
        JSONWriter.appendString(principal.uid, to: &json)
        if let project = principal.user.project {
            json.append(contentsOf: ",\"project\":".utf8)
            JSONWriter.appendString(project, to: &json)
        }
        if let tenant = principal.user.tenant {
            json.append(contentsOf: ",\"tenant\":".utf8)
            JSONWriter.appendString(tenant, to: &json)
        }
        json.append(contentsOf: ",\"iat\":\(issuedAt),\"exp\":\(end),\"auth\":".utf8)
        json.append(contentsOf: principal.variable)
        json.append(UInt8(ascii: "}"))
        return json
    }

    // MARK: - Sizes

    private static let signatureSize = 64

    /// Returns the maximum size of the line for a principal, over all upstreams, in bytes.
    func longestLine(of principal: Principal) -> Int {
        let audience = audiences.max { $0.count < $1.count } ?? []
        // The time with the most digits.
        let claims = claims(of: principal, for: audience, issuedAt: .latest, end: .latest).count
        return beginning.count + Base64URL.encodedLength(of: claims)
            + Base64URL.encodedLength(of: Self.signatureSize) + 3
    }

    /// The maximum number of cached assertions per principal.
    var kept: Int { min(audiences.count, SignedAssertions.capacity) }
}

/// The gateway's assertion keys: the signing key and the published ones.
package struct AssertionKeys: Sendable {
    /// The signing key.
    package let current: SigningKey
    let previous: [SigningKey]

    package init(current: SigningKey, previous: [SigningKey]) {
        self.current = current
        self.previous = previous
    }

    /// All keys, the current one first.
    package var published: [SigningKey] { [current] + previous }
}
