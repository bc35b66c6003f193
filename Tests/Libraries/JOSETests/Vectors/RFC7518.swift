/// The keys of RFC 7518, JSON Web Algorithms, appendix C. They are for key agreement.
enum RFC7518 {
    /// Alice's ephemeral key.
    static let ephemeralJWK = #"""
        {"kty":"EC","crv":"P-256","x":"gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0","y":"SLW_xSffzlPWrHEVI30DHM_4egVwt\#
        3NQqeUD7nMFpps","d":"0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo"}
        """#
    /// The public part, as in "epk" of the header.
    static let ephemeralPublicJWK = #"""
        {"kty":"EC","crv":"P-256","x":"gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0","y":"SLW_xSffzlPWrHEVI30DHM_4egVwt\#
        3NQqeUD7nMFpps"}
        """#
    /// Bob's key.
    static let bobJWK = #"""
        {"kty":"EC","crv":"P-256","x":"weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ","y":"e8lnCO-AlStT-NJVX-crhB7QRYhii\#
        x03illJOVAOyck","d":"VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw"}
        """#
}
