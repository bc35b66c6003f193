/// Weak keys, and tokens for Ada that are signed with them. The tokens are valid from 2023 to 2100.
///
/// The keys were created with OpenSSL 3.0. The private keys were deleted.
enum WeakKeyVectors {
    /// The modulus `n` of a 512-bit key.
    static let modulus512 =
        "vKsL3ZOJFro8xP_3rRnwafCVeVqD4VMKNpEY1bfwRW6Adme4T_0vbJv_EBdLiS0Wul4cG135tfXBC914Kjkklw"

    /// Signed with RS256 by the key `weak-512`.
    static let token512 =
        "eyJhbGciOiJSUzI1NiIsImtpZCI6IndlYWstNTEyIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL3NlY3VyZXRva2VuLmdvb2dsZS5jb2"
        + "0vZGVtby1nYXRlaG91c2UiLCJhdWQiOiJkZW1vLWdhdGVob3VzZSIsImF1dGhfdGltZSI6MTcwMDAwMDAwMCwidXNlcl9pZCI6ImFkYSIsInN1"
        + "YiI6ImFkYSIsImlhdCI6MTcwMDAwMDAwMCwiZXhwIjo0MTAyNDQ0ODAwLCJmaXJlYmFzZSI6eyJpZGVudGl0aWVzIjp7fSwic2lnbl9pbl9wcm"
        + "92aWRlciI6ImN1c3RvbSJ9fQ.JUSiDjHkInMTb-tGP8NJ8rVHRxIqkoWEQAsPIhuuJoJZNudm5ohSXOD7CvJUWSSoE7KjTtVTiJ6_lIpU7THVo"
        + "g"

    /// The modulus `n` of a 1024-bit key.
    static let modulus1024 =
        "0mjkkAfQLWB-aJhMnfW11hDwmEDt6XrZp6Jm8M5FQc6MSuoU7CO7vwQxMxRhWkz4kFipiKZqtAR0k6lx4uvMi6qvtyJzIUP1yO1uxKM96hqZCz"
        + "ckhmMiu4rL9uVReRC96gWU8Oa054Ir6AcJOeghStnAAVDcReVBH26gbCtV3Sk"

    /// Signed with RS256 by the key `weak-1024`.
    static let token1024 =
        "eyJhbGciOiJSUzI1NiIsImtpZCI6IndlYWstMTAyNCIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL3NlY3VyZXRva2VuLmdvb2dsZS5jb"
        + "20vZGVtby1nYXRlaG91c2UiLCJhdWQiOiJkZW1vLWdhdGVob3VzZSIsImF1dGhfdGltZSI6MTcwMDAwMDAwMCwidXNlcl9pZCI6ImFkYSIsInN"
        + "1YiI6ImFkYSIsImlhdCI6MTcwMDAwMDAwMCwiZXhwIjo0MTAyNDQ0ODAwLCJmaXJlYmFzZSI6eyJpZGVudGl0aWVzIjp7fSwic2lnbl9pbl9wc"
        + "m92aWRlciI6ImN1c3RvbSJ9fQ.XMJtaBS62veVc1e-nHjNwiuwTr4LCCiDsr71nHtsiCE_I6X9v4E0eDPM88MrafCQeRX1i1zeKEe4PWDiKYEK"
        + "xcWJFyZ2a2HYMr_bXc_FnHzluVfP9XkbhIJJlbYiMAlMs3cs3MbnJp5Ftm1vxlBheRL7nikciXr9A9xAdF0VlEo"

    /// A 2048-bit modulus `n`. With `e` = 1 everyone can create signatures for it.
    static let modulus2048 =
        "0rCHR_fym7lZNwSNVYoAfbeQwBIqaBh8JlZ2gsF1LRHYEODuDSHZTkh6b3ll9-nbwagOGGGnSy10DRrDmGfoXYprVpkgE8ccaDHra1gwvFXU5T"
        + "Ieizgfs-4DkC1D5HOrx6E8bNaf2Qr1560xFjb1R8vdxlYzeEmrNZkwQfAjHW9RMlCzzy_nIh-6Dmt-PjL_RHqV5Mewa3I6CJdIFzTRTMsY_iug"
        + "iuO9H3L3AONw1oBL63iEOZ_VYlwi4Q1HR_RjGO56kASnRwFwO2LNlPWYTS1gEdBmEgINPNWwTvKlbhe6L9lcq0uFqp6zC6ZfqvGniT9wrpc5wZ"
        + "m1Jj8jBfuSKQ"
}
