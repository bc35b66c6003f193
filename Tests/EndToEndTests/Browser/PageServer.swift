import Dispatch

/// Serves one page for every request, on its own origin on 127.0.0.1, until its deinitialization.
final class PageServer: Sendable {
    private let listener: RawListener
    private let queue = DispatchQueue(label: "gatehouse.e2e.page")
    private let page: String

    init(page: String) throws {
        listener = try RawListener()
        self.page = page
        queue.async { [weak self] in
            while let self { self.serve() }
        }
    }

    /// The origin of the page.
    var origin: String { listener.url }

    /// Serves one waiting connection, if there is one.
    private func serve() {
        guard listener.isWaited(100), let client = try? listener.take(), (try? client.readHead()) != nil else { return }
        let head = """
            HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: \(page.utf8.count)\r\n\
            Connection: close\r\n\r\n
            """
        try? client.send(head + page)
    }
}
