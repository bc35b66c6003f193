/// Why a request may not pass, and what its answer tells the client besides.
package struct Denial: Sendable, Equatable {
    /// The code, which fixes the status and the challenge.
    package var code: DecisionCode
    /// `max_age` of the challenge in seconds (RFC 9470 section 3).
    package var maxAge: Int64?
    /// `Retry-After`, in seconds.
    package var retryAfter: Int?
    /// Which allowed methods go into `Allow`: an index into the route table's lists.
    package var allow: [UInt8]?

    /// A further parameter of the challenge, as it stands there: `scope="..."` (RFC 6750 section 3), `acr_values="..."` (RFC 9470).
    package var challengeParameter: String?

    /// What the client can do about it, in the place of the code's own words; nothing of the client's is in it.
    package var detail: String?
    /// Further members of the problem document, as JSON text: `"name":value`, comma separated.
    package var members: [UInt8]?
    /// The whole `Set-Cookie` field line, with its CRLF.
    package var cookieLine: [UInt8]?

    /// A denial with nothing besides its code.
    package init(
        _ code: DecisionCode, maxAge: Int64? = nil, retryAfter: Int? = nil, allow: [UInt8]? = nil,
        challengeParameter: String? = nil
    ) {
        self.code = code
        self.maxAge = maxAge
        self.retryAfter = retryAfter ?? (code.carriesRetryAfter ? 1 : nil)
        self.allow = allow
        self.challengeParameter = challengeParameter
    }
}
