/// A well-formed answer of the echo server.
struct EchoAnswer {
    private let instructions: EchoInstructions
    private let request: ReceivedRequest
    private let body: Body
    private let answer: Answer

    private enum Body {
        case text([UInt8])
        case pattern(Int)

        var count: Int {
            switch self {
            case .text(let bytes): bytes.count
            case .pattern(let count): count
            }
        }

        var step: ScriptStep {
            switch self {
            case .text(let bytes): .send(bytes)
            case .pattern(let count): .fill(count)
            }
        }
    }

    init(_ instructions: EchoInstructions, to request: ReceivedRequest) {
        self.instructions = instructions
        self.request = request
        body =
            instructions.bytes.map { .pattern($0) }
            ?? .text(request.report.bytes + [UInt8(ascii: "\n")])
        let type = instructions.bytes == nil ? "application/json" : "application/octet-stream"
        answer = Answer(status: instructions.status, fields: [("Content-Type", type)] + instructions.fields)
    }

    /// The answer as steps. A chunked body is one chunk, whatever its length.
    var steps: [ScriptStep] {
        let head = ScriptStep.send(answer.head(adding: framing))
        guard answer.allowsBody(for: request.method) else { return [head] }
        guard instructions.isChunked else { return [head, body.step] }
        let last = Array("0\r\nX-Trailer: echo\r\n\r\n".utf8)
        guard body.count > 0 else { return [head, .send(last)] }
        let size = Array("\(String(body.count, radix: 16))\r\n".utf8)
        return [head, .send(size), body.step, .send(Array("\r\n".utf8) + last)]
    }

    private var framing: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if instructions.isChunked {
            fields += [("Transfer-Encoding", "chunked"), ("Trailer", "X-Trailer")]
        } else if answer.status != 204 {
            fields.append(("Content-Length", "\(body.count)"))
        }
        if instructions.closes || !request.keepAlive { fields.append(("Connection", "close")) }
        return fields
    }
}
