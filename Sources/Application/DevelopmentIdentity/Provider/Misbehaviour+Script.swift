extension Misbehaviour {
    /// What happens instead of `good`, the proper answer to the request.
    func script(insteadOf good: Answer, emptySet: String, to request: ReceivedRequest) -> [ScriptStep] {
        switch self {
        case .drip(let interval): [.drip(good.bytes(for: request)[...], interval: interval)]
        case .hang: [.hang]
        case .delayed(let duration): [.wait(duration), .send(good.bytes(for: request))]
        case .held(let gate): [.hold(gate), .send(good.bytes(for: request))]
        case .drop: [.close]
        case .reset: [.reset]
        case .raw(let text): [.send(Array(text.utf8)), .close]
        case .oversized(let bytes): oversized(bytes, good, to: request)
        case .endless: endless(good)
        case .wrongContentLength(let difference): wrongLength(difference, good)
        default: [.send(answer(insteadOf: good, emptySet: emptySet).bytes(for: request))]
        }
    }

    /// The well-formed answer with unwelcome content.
    private func answer(insteadOf good: Answer, emptySet: String) -> Answer {
        var answer = good
        switch self {
        case .status(let status, let body, let fields):
            answer = Answer(status: status, fields: [("Content-Type", "application/json")], body: Array(body.utf8))
            answer.fields += fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        case .body(let text): answer.body = Array(text.utf8)
        case .html:
            answer.fields = [("Content-Type", "text/html; charset=utf-8")]
            answer.body = Array("<!doctype html><title>Sign in to the network</title>\n".utf8)
        case .truncatedJSON: answer.body = Array(good.body.prefix(good.body.count / 2))
        case .noKeys: answer.body = Array(emptySet.utf8)
        case .gzipBomb(let bytes):
            answer.fields.append(("Content-Encoding", "gzip"))
            answer.body = GzipBomb.bytes(bytes)
        case .redirect(let location, let status):
            answer = Answer(status: status, fields: [("Location", location)])
        case .cacheControl(let value):
            answer.fields.removeAll { $0.name == "Cache-Control" }
            if let value { answer.fields.append(("Cache-Control", value)) }
        default: break
        }
        return answer
    }

    private func oversized(_ count: Int, _ good: Answer, to request: ReceivedRequest) -> [ScriptStep] {
        let start = Array("{\"keys\":[],\"padding\":\"".utf8)
        let head = good.head(adding: [("Content-Length", "\(max(count, start.count))")])
        return [.send(head + start), .fill(max(0, count - start.count))]
    }

    private func endless(_ good: Answer) -> [ScriptStep] {
        let size = 1 << 40
        return [
            .send(good.head(adding: [("Transfer-Encoding", "chunked")]) + Array("\(String(size, radix: 16))\r\n".utf8)),
            .fill(size),
        ]
    }

    private func wrongLength(_ difference: Int, _ good: Answer) -> [ScriptStep] {
        let head = good.head(adding: [("Content-Length", "\(max(0, good.body.count + difference))")])
        return [.send(head + good.body), .close]
    }
}
