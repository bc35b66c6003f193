import GatewayConfiguration
import JOSE
import TextCoding

/// The URL at the provider to which a flow leads the browser (RFC 6749 section 4.1.1).
struct AuthorizationURL {
    let text: String

    init(
        _ provider: FlowProvider, _ record: FlowRecord, _ state: String,
        _ parameters: [Configuration.CodeFlow.Parameter]
    ) throws(AccountDenial) {
        var url = Array(record.endpoints.authorization.prefix { $0 != "#" }.utf8)
        if !url.contains(UInt8(ascii: "?")) { url.append(UInt8(ascii: "?")) }
        func add(_ name: String, _ value: String) { FormEncoding.append(name, value.utf8, to: &url) }
        add("response_type", "code")
        add("client_id", provider.clientID)
        add("redirect_uri", record.redirectURI)
        if !provider.scopes.isEmpty { add("scope", provider.scopes.joined(separator: " ")) }
        add("state", state)
        if provider.hasIDToken { add("nonce", record.nonce) }
        if provider.postsForm { add("response_mode", "form_post") }
        if let verifier = record.verifier {
            add("code_challenge", Base64URL.encode(try AccountDenial.hash(Array(verifier.utf8)).bytes))
            add("code_challenge_method", "S256")
        }
        for parameter in parameters { add(parameter.name, parameter.value) }
        text = String(decoding: url, as: UTF8.self)
    }
}
