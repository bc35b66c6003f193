import Foundation
import GatewayCore
import JOSE
import NIOCore
import Testing

@testable import HTTPServer
@testable import SystemFixtures

@Suite struct ProblemResponseTests {
    private static let codes = DecisionCode.allCases.filter { $0 != .ok && $0 != .clientClosed }

    private func answer(_ denial: Denial, closes: Bool = false, _ adjust: (inout RequestRecord) -> Void = { _ in })
        -> WireMessage
    {
        var record = RequestRecord()
        record.id = (0x0123_4567_89ab_cdef, 0xf)
        adjust(&record)
        var output = ByteBuffer(string: "what was there before")
        ProblemResponse(denial: denial, record: record, closes: closes)
            .write(into: &output, date: Array("Date: now\r\n".utf8))
        let parts = String(buffer: output).split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        return WireMessage(head: "\(parts[0])\r\n\r\n", body: String(parts[1]))
    }

    @Test(arguments: codes) func `every code has a problem document`(code: DecisionCode) throws {
        let answer = answer(Denial(code))
        let object = try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any]
        #expect(object?["code"] as? String == code.wire.description)
        #expect(object?["status"] as? Int == Int(code.status))
        #expect(object?["title"] as? String == code.title.description)
        #expect(object?["detail"] as? String == code.detail.description)
        #expect(object?["request_id"] as? String == "0123456789abcdef000000000000000f")
        #expect(object?.count == 5)
        #expect(answer.status == Int(code.status))
        #expect(answer.value("Content-Type") == "application/problem+json")
        #expect(answer.value("Content-Length") == "\(answer.body.utf8.count)")
        #expect(answer.value("Date") == "now")
    }

    @Test(arguments: codes) func `only a 401 or a missing scope has a challenge`(code: DecisionCode) {
        let challenges = answer(Denial(code)).values("WWW-Authenticate")
        #expect(challenges.count == (code.status == 401 || code == .insufficientScope ? 1 : 0))
        // A refused App Check token does not concern the user's token.
        let scheme = "\(code.wire)".hasPrefix("app-check/") ? "AppCheck" : "Bearer"
        #expect(challenges.allSatisfy { $0 == scheme || $0.hasPrefix("\(scheme) ") })
    }

    @Test(arguments: codes) func `an outage has Retry-After`(code: DecisionCode) {
        #expect((answer(Denial(code)).value("Retry-After") != nil) == (code.status == 503 || code == .rateLimited))
    }

    @Test(arguments: [
        (Denial(.missingCredential), "WWW-Authenticate", "Bearer"),
        (Denial(.idTokenExpired), "WWW-Authenticate", "Bearer error=\"invalid_token\""),
        (
            Denial(.requiresRecentLogin, maxAge: 300), "WWW-Authenticate",
            "Bearer error=\"insufficient_user_authentication\", max_age=\"300\""
        ),
        (Denial(.keysUnavailable, retryAfter: 17), "Retry-After", "17"),
        (Denial(.methodNotAllowed, allow: Array("GET, HEAD".utf8)), "Allow", "GET, HEAD"),
    ])
    func `I-01: a field contains the details of the denial`(denial: Denial, name: String, value: String) {
        #expect(answer(denial).value(name) == value)
    }

    @Test func `HEAD gets the same head and no body`() {
        let answer = answer(Denial(.routeNotFound)) { $0.isHead = true }
        #expect(answer.body.isEmpty)
        #expect(answer.value("Content-Length") != "0")
    }

    @Test func `the end of the connection is announced`() {
        #expect(answer(Denial(.routeNotFound), closes: true).value("Connection") == "close")
        #expect(answer(Denial(.routeNotFound)).value("Connection") == nil)
        #expect(answer(Denial(.routeNotFound)) { $0.minorVersion = 0 }.value("Connection") == "keep-alive")
    }

    @Test(arguments: [
        (DecisionCode.missingCredential, "16"), (.permissionDenied, "7"), (.storeUnavailable, "14"),
        (.upstreamTimeout, "14"), (.malformedRequest, "3"), (.routeNotFound, "12"), (.rateLimited, "8"),
        (.requestTooLarge, "8"), (.headTooLarge, "8"), (.internalError, "13"), (.methodNotAllowed, "12"),
        (.grpcUnsupported, "12"),
    ])
    func `I-12: a gRPC call gets a trailers-only response`(code: DecisionCode, status: String) {
        let answer = answer(Denial(code)) { $0.wantsGRPC = true }
        #expect(answer.status == 200)
        #expect(answer.value("grpc-status") == status)
        #expect(answer.value("Content-Type") == "application/grpc")
        #expect(answer.body.isEmpty)
    }

    @Test func `K-12: the end of a call's own time is its status`() {
        let answer = answer(Denial(.upstreamTimeout)) {
            $0.wantsGRPC = true
            $0.isPastDeadline = true
        }
        #expect(answer.value("grpc-status") == "4")
    }

    @Test func `the details of a gRPC denial are a google.rpc.Status with an ErrorInfo`() throws {
        let answer = answer(Denial(.requiresRecentLogin, maxAge: 300)) { $0.wantsGRPC = true }
        let encoded = try #require(answer.value("grpc-status-details-bin"))
        #expect(!encoded.contains("="))
        let bytes = try #require(Base64URL.decode(encoded.replacing("+", with: "-").replacing("/", with: "_")))
        var expected: [UInt8] = [8, 16, 18, 26] + "auth/requires-recent-login".utf8
        var info: [UInt8] = [10, 26] + "AUTH_REQUIRES_RECENT_LOGIN".utf8 + [18, 9] + "gatehouse".utf8
        for (key, value) in [
            ("code", "auth/requires-recent-login"), ("request_id", "0123456789abcdef000000000000000f"),
            ("max_age", "300"),
        ] {
            let entry = [10, UInt8(key.utf8.count)] + key.utf8 + [18, UInt8(value.utf8.count)] + value.utf8
            info += [26, UInt8(entry.count)] + entry
        }
        let url = "type.googleapis.com/google.rpc.ErrorInfo"
        let any: [UInt8] =
            [10, UInt8(url.utf8.count)] + url.utf8 + [18, UInt8(info.count & 0x7F) | 0x80, UInt8(info.count >> 7)]
            + info
        expected += [26, UInt8(any.count & 0x7F) | 0x80, UInt8(any.count >> 7)] + any
        #expect(bytes == expected)
    }
}
