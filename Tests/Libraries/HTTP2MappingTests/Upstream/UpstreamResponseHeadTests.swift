import NIOCore
import NIOHPACK
import Testing

@testable import HTTP2Mapping

/// The conversion of responses from HTTP/2 to HTTP/1.1.
@Suite struct UpstreamResponseHeadTests {
    typealias Failure = UpstreamResponseHead.Failure

    private func convert(
        _ fields: [(String, String)], endsStream: Bool = false, isHead: Bool = false
    ) throws -> (head: UpstreamResponseHead, text: String) {
        var output = ByteBuffer()
        let head = try UpstreamResponseHead(
            HPACKHeaders(fields), endsStream: endsStream, isHeadRequest: isHead, into: &output)
        return (head, String(buffer: output))
    }

    struct Converted: Sendable {
        let fields: [(String, String)]
        var endsStream = false
        var isHead = false
        let body: UpstreamResponseHead.Body
        let text: String
    }

    static let converted = [
        Converted(
            fields: [(":status", "200"), ("content-length", "2"), ("x-a", "b")], body: .length(2),
            text: "HTTP/1.1 200 \r\ncontent-length: 2\r\nx-a: b\r\nConnection: close\r\n\r\n"),
        Converted(
            fields: [(":status", "200")], body: .chunked,
            text: "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"),
        Converted(
            fields: [(":status", "200"), ("grpc-status", "7"), ("grpc-message", "no ")], endsStream: true,
            body: .length(0),
            text: "HTTP/1.1 200 \r\ngrpc-status: 7\r\ngrpc-message: no \r\nContent-Length: 0\r\n"
                + "Connection: close\r\n\r\n"),
        Converted(
            fields: [(":status", "200"), ("content-length", "9")], endsStream: true, isHead: true, body: .none,
            text: "HTTP/1.1 200 \r\ncontent-length: 9\r\nConnection: close\r\n\r\n"),
        Converted(
            fields: [(":status", "304"), ("content-length", "9")], endsStream: true, body: .none,
            text: "HTTP/1.1 304 \r\ncontent-length: 9\r\nConnection: close\r\n\r\n"),
        Converted(
            fields: [(":status", "204"), ("content-length", "0")], endsStream: true, body: .none,
            text: "HTTP/1.1 204 \r\nConnection: close\r\n\r\n"),
        Converted(
            fields: [(":status", "103"), ("link", "</a>")], body: .none, text: "HTTP/1.1 103 \r\nlink: </a>\r\n\r\n"),
    ]

    @Test(arguments: converted)
    func `a head is converted with an explicit framing`(expected: Converted) throws {
        let (head, text) = try convert(expected.fields, endsStream: expected.endsStream, isHead: expected.isHead)
        #expect(head.body == expected.body)
        #expect(text == expected.text)
    }

    struct Rejected: Sendable {
        let fields: [(String, String)]
        var endsStream = false
        let failure: Failure
    }

    static let rejected = [
        Rejected(fields: [], failure: .status), Rejected(fields: [("x", "y")], failure: .status),
        Rejected(fields: [(":status", "200"), (":status", "200")], failure: .status),
        Rejected(fields: [("x", "y"), (":status", "200")], failure: .status),
        Rejected(fields: [(":status", "+200")], failure: .status),
        Rejected(fields: [(":status", "20")], failure: .status),
        Rejected(fields: [(":status", "1000")], failure: .status),
        Rejected(fields: [(":status", "099")], failure: .status),
        Rejected(fields: [(":status", "2 0")], failure: .status),
        Rejected(fields: [(":status", "200"), (":path", "/")], failure: .pseudoHeader),
        Rejected(fields: [(":status", "200"), ("X-A", "b")], failure: .fieldName),
        Rejected(fields: [(":status", "200"), ("x a", "b")], failure: .fieldName),
        Rejected(fields: [(":status", "200"), ("", "b")], failure: .fieldName),
        Rejected(fields: [(":status", "200"), ("x", "a\r\nset-cookie: b")], failure: .fieldValue),
        Rejected(fields: [(":status", "200"), ("x", "a\u{0}")], failure: .fieldValue),
        Rejected(fields: [(":status", "200"), ("x", "a\u{FFFD}")], failure: .notUTF8),
        Rejected(fields: [(":status", "200"), ("connection", "close")], failure: .connectionField),
        Rejected(fields: [(":status", "200"), ("transfer-encoding", "chunked")], failure: .connectionField),
        Rejected(fields: [(":status", "200"), ("upgrade", "h2c")], failure: .connectionField),
        Rejected(fields: [(":status", "200"), ("content-length", "+5")], failure: .contentLength),
        Rejected(fields: [(":status", "200"), ("content-length", "5, 5")], failure: .contentLength),
        Rejected(
            fields: [(":status", "200"), ("content-length", "5"), ("content-length", "5")], failure: .contentLength),
        Rejected(fields: [(":status", "200"), ("content-length", "5")], endsStream: true, failure: .bodyLength),
        Rejected(fields: [(":status", "101")], failure: .switchingProtocols),
        Rejected(fields: [(":status", "103")], endsStream: true, failure: .interim),
        Rejected(fields: [(":status", "103"), ("content-length", "5")], failure: .interim),
        Rejected(
            fields: [(":status", "200")] + (0..<255).map { ("x\($0)", "") }, failure: .tooManyFields),
    ]

    @Test(arguments: rejected)
    func `M-23, M-59: an invalid head is rejected`(expected: Rejected) {
        #expect(throws: expected.failure) { try convert(expected.fields, endsStream: expected.endsStream) }
    }

    @Test(
        arguments: [
            ([(":status", "200")], Failure.pseudoHeader), ([("Grpc-Status", "0")], .fieldName),
            ([("transfer-encoding", "x")], .connectionField), ([("x", "a\nb")], .fieldValue),
        ] as [([(String, String)], Failure)])
    func `M-22: invalid trailers are rejected`(fields: [(String, String)], failure: Failure) {
        #expect(throws: failure) { try UpstreamResponseHead.checkTrailers(HPACKHeaders(fields)) }
    }
}
