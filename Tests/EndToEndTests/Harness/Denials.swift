import DevelopmentIdentity
import Testing

/// Expects the problem document of a denial, and its challenge by RFC 6750 or RFC 9470.
func expectDenial(
    _ response: WireResponse, _ status: Int, _ code: String, challenge: String? = nil, _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let comment = Comment(rawValue: "\(comment) \(response.status) \(response.text)")
    #expect(response.status == status, comment, sourceLocation: sourceLocation)
    #expect(response["Content-Type"] == "application/problem+json", comment, sourceLocation: sourceLocation)
    let problem = JSON(parsing: response.body)
    #expect(problem?["code"] == .string(code), comment, sourceLocation: sourceLocation)
    #expect(problem?["status"] == .integer(Int64(status)), comment, sourceLocation: sourceLocation)
    #expect(problem?["title"] != nil && problem?["detail"] != nil, comment, sourceLocation: sourceLocation)
    #expect(problem?["request_id"] != nil, comment, sourceLocation: sourceLocation)
    let expected = challenge ?? (status == 401 ? "Bearer error=\"invalid_token\"" : nil)
    #expect(response["WWW-Authenticate"] == expected, comment, sourceLocation: sourceLocation)
    #expect((response["Retry-After"] != nil) == (status == 503), comment, sourceLocation: sourceLocation)
}
