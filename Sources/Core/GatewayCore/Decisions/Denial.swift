/// The reason that a request is denied, and further content of the response.
package struct Denial: Sendable, Equatable {
    /// The code, which determines the status and the challenge.
    package var code: DecisionCode
    /// `max_age` of the challenge in seconds (RFC 9470 section 3).
    package var maxAge: Int64?
    /// `Retry-After`, in seconds.
    package var retryAfter: Int?
    /// The allowed methods, as the value of `Allow`.
    package var allow: [UInt8]?

    /// A further parameter of the challenge, already rendered: `scope="..."` (RFC 6750 section 3), `acr_values="..."`
    /// (RFC 9470).
    package var challengeParameter: String?

    /// A replacement for the code's `detail`. It contains no input of the client.
    package var detail: String?
    /// Further members of the problem document as JSON text: `"name":value`, separated by commas.
    package var members: [UInt8]?
    /// The whole `Set-Cookie` field line with its CRLF.
    package var cookieLine: [UInt8]?

    /// Creates a denial.
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
