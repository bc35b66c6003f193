/// The examples of RFC 8037, CFRG curves in JOSE.
enum RFC8037 {
    /// Appendix A.1.
    static let privateJWK = #"""
        {"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"nWGxne_9WmC6hEr0kuwsxERJxW\#
        l7MmkZcDusAxyuf2A"}
        """#
    /// Appendix A.2.
    static let publicJWK = #"""
        {"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
        """#
    /// Appendix A.3.
    static let thumbprint = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
    /// Appendix A.4. The payload is plain text and not JSON.
    static let edDSA = #"""
        eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4\#
        ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
        """#
    /// The point of appendix A.6, for key agreement.
    static let x25519JWK = #"""
        {"kty":"OKP","crv":"X25519","x":"3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08"}
        """#
    /// The point of appendix A.7, for key agreement.
    static let x448JWK = #"""
        {"kty":"OKP","crv":"X448","x":"PreoKbDNIPW8_AtZm2_sz22kYnEHvbDU80W0MCfYuXL8PjT7QjKhPKcG3LV67D2uB73BxnvzNgk"}
        """#
}
