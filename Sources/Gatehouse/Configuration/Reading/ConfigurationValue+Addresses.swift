extension ConfigurationValue {
    /// `HOST:PORT` to listen on.
    func listenAddress() -> ListenAddress? {
        guard let text = string(atMost: 320) else { return nil }
        if text.hasPrefix("unix:") {
            refuseAsLater("a unix: address")
            return nil
        }
        do {
            let address = try HostAndPort(parsing: text)
            return ListenAddress(host: address.host, port: address.port)
        } catch {
            return fail("\(name) is \(error.what)", error.remedy)
        }
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
