import GatewayCore
import HTTPServer
package import NIOCore

extension UpstreamConnection: Responder {
    package var acceptsBody: Bool { takesMore }
    package var responseHasLength: Bool { delivery == .asIs }

    package func bodyPart(_ part: ByteBuffer) {
        exchange?.bodySent(now: connectionContext.time)
        var ready = takeGatheredRequest()
        if sendsChunks { ready.writeChunkHeader(part.readableBytes) }
        if part.readableBytes <= Self.smallPart {
            ready.writeImmutableBuffer(part)
        } else {
            if ready.readableBytes > 0 { send(ready) }
            send(part)
            ready = ByteBuffer()
        }
        if sendsChunks { ready.writeStaticString("\r\n") }
        gatheredRequest = ready
    }

    package func bodyEnded(trailers: ByteBuffer) {
        if exchange?.isTunnel == true { return tunnelInputEnded() }
        exchange?.requestEnded(now: connectionContext.time)
        // A tunnel request holds its connection like an upload, until the upgrade is rejected.
        defer { if upgrade == nil { endUpload() } }
        guard sendsChunks else { return }
        var ready = takeGatheredRequest()
        ready.writeStaticString("0\r\n")
        requestTrailers?.append(trailers, to: &ready)
        ready.writeStaticString("\r\n")
        gatheredRequest = ready
    }

    func endUpload() {
        guard holdsUpload else { return }
        holdsUpload = false
        pool.uploadEnded()
    }

    package func bodyFlush() {
        writeGatheredRequest()
        flush()
    }

    func writeGatheredRequest() {
        guard gatheredRequest.readableBytes > 0 else { return }
        send(takeGatheredRequest())
    }

    private func takeGatheredRequest() -> ByteBuffer {
        let ready = gatheredRequest
        gatheredRequest = ByteBuffer()
        return ready
    }

    package func clientWritabilityChanged(isWritable: Bool) {
        if isWritable, !holdsMuch { resumeReading() } else { pauseReading() }
    }

    package func clientGone() {
        client = nil
        closeNow()
    }

    package func tick(now: UInt64) {
        guard let exchange, exchange.responseIsLate(now: now, limit: responseLimit) else { return }
        recordFailure(.upstreamTimeout)
        if !sendsElsewhere(after: .timeout) { fail(.upstreamTimeout, blaming: false) }
    }
}
