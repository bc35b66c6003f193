/// An error of Google's APIs: HTTP status, name and message.
struct GoogleError {
    let code: Int
    let status: String
    let message: String

    static let unauthenticated = GoogleError(
        code: 401, status: "UNAUTHENTICATED",
        message: "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other "
            + "valid authentication credential.")
    static let permissionDenied = GoogleError(
        code: 403, status: "PERMISSION_DENIED", message: "The caller does not have permission")
    static let invalidArgument = GoogleError(
        code: 400, status: "INVALID_ARGUMENT", message: "Request contains an invalid argument.")
    static let unavailable = GoogleError(
        code: 503, status: "UNAVAILABLE", message: "The service is currently unavailable.")
}

extension Response {
    static func google(_ error: GoogleError) -> Response {
        .json(
            [
                "error": [
                    "code": .integer(Int64(error.code)), "message": .string(error.message),
                    "status": .string(error.status),
                ]
            ], status: error.code)
    }
}
