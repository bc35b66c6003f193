extension ConfigurationValue {
    /// `HOST:PORT` or `unix:/PATH` to listen on.
    func listenAddress() -> ListenAddress? {
        guard let text = string(atMost: 320) else { return nil }
        do {
            return try ListenAddress(parsing: text)
        } catch {
            return fail("\(name) is \(error.what)", error.remedy)
        }
    }

    /// `HOST:PORT` alone.
    func portAddress() -> ListenAddress? {
        guard let address = listenAddress() else { return nil }
        guard address.path == nil else { return fail("\(name) is a unix: address", "write HOST:PORT") }
        return address
    }

    /// `http://HOST:PORT` of an upstream's server.
    func upstreamServer() -> Configuration.UpstreamServer? {
        guard let text = string(atMost: 512) else { return nil }
        do {
            let url = try HTTPURL(parsing: text)
            if url.isSecure {
                refuseAsLater("an https:// upstream server")
                return nil
            }
            guard url.target.isEmpty || url.target == "/" else {
                return fail("\(name) is a URL with a path or query", "write http://HOST:PORT alone")
            }
            return Configuration.UpstreamServer(host: url.host, port: url.port)
        } catch {
            return fail("\(name) is \(error.what)", error.remedy)
        }
    }
}
