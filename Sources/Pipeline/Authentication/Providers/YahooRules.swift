import JOSE

/// Yahoo's ID tokens: its key set has RSA keys too, but what it signs is ES256.
struct YahooRules: ProviderRules {
    let issuers: [String]

    var algorithms: SignatureAlgorithms { .only([.es256]) }
}
