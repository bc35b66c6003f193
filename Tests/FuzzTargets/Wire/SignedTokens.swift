/// A token of each algorithm. Their private keys do not exist anymore: every valid signature is one of these.
enum SignedTokens {
    /// The keys as a JWK set; none but the last names its algorithm.
    static let keySet = #"""
        {"keys":[{"kty":"RSA","kid":"rsa","use":"sig","n":"tVcFbMlX8VNuPeVtlgSINvCfRdx4BSR00MMZLOFQbIITLaQRIIik_gww7no\#
        4PDQimX9jmgUG44Dn216NGHWE2wajIlfQfGYnrAjiepV5W4Mxdngh41tq5FhgbF5bqtOcvOtoJNRWk5XQTVuw-utmDAeqv_wisSw6FoQ4k1ghK\#
        NtDBlrhCWVshAr4tETSoscVzBN063yjbtHGtTLPcXpJe1CxwVtwrk3NdGnRhNNrV_YUfi34m37iqGphuplQ3VQY9sT1gk706a9fV7dqjASv2Nh\#
        ja4B2GMnuBnJ1T-712KsRRBpL5ECXa9WgXCUvhGN5BCrK-vAjG4UVOiAKUzvAfQ","e":"AQAB"},{"kty":"EC","kid":"p256","crv":"P\#
        -256","x":"3riquNY9ZR-5eqfCnJktLHEjCsxHdDiTElzo3-hDyYU","y":"G3l_ymaAafSw_EwzrVz8DMoV4pKWrMXG2tCZFS2SAYI"},{"k\#
        ty":"EC","kid":"p384","crv":"P-384","x":"vBi1L69d-7eP9YGkFNfFS6LcSjBRZdHOkbEBOwIA8CsSavLMExK8VAmEDRnNGbeh","y"\#
        :"WepU4RFFpWekAjx0W40UOFXqWcmlH8iuDSmdPngjLiICeZ_vA-Ovdfff7-mOgran"},{"kty":"EC","kid":"p521","crv":"P-521","x\#
        ":"ANwjogQ-YmAebc_zhH-qLOaPRajZna3sBV_vA1R2eofHaxwQxf2OpERaXnnCXNwely9RHGApIq8Su5hldvZoONOx","y":"AJ51YtbV1xTp\#
        8R0dgZ3UVJyZZM4qowkTiY3ZoRkSjC84aqqM4Rb4xwi3qMpDVz7AO3igMj87JVhVXuJebIDjPjeZ"},{"kty":"OKP","kid":"ed","crv":"\#
        Ed25519","alg":"EdDSA","x":"wpcCGyW9J_AYioPAJH0LZn67w1ZI3cKVLv0DguAftik"}]}
        """#

    /// The tokens.
    static let all = [
        """
        eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYSIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1IiwiZXhwIjoxfQ.WJpLODXItAr4Qt5OSrvp7QK_23DNdr7\
        4Jd9QfCv5S8tS78lUxm2jNNUl3HlZ6csrmv-LQXellN3xlw1OA11rrCzQtkvi4dcoopld7xZI4cRaXKP6UT0kUvwWaFyAkJIGXfvPxhWW2KANhZ\
        eZNbVcn78n3m_YcfRIgG4SbDLpT3d7K_gaN-k5CcyXRWBRvAVXEiAFld1G16kHGx6SeG7t6wMZsFpaR_X0EWLD2wwdt6l5h3WMaaGJ0dGweM6Go\
        uEw0wZKWMsrDr3kY5yddKGrFjjYKgQaDdLiDHKC_w6JB3TYl5FUUaeCtHF7jPC3BewIHlkztVaJ89ozCDUA2LNDMQ
        """,
        """
        eyJhbGciOiJSUzM4NCIsImtpZCI6InJzYSIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1IiwiZXhwIjoxfQ.Ql0zsLLQPQjHXtCyJePe1KwwvVq5BND\
        vzxN41uD9BFvk44fQVakRqTM_Jh8JeENwvlcuS0CmhNAXP7wHc5Mw4lfYYOzlPlB6VuyBgZiY9uDG-iQP-NZ2Iu17_mpfQ8823YJ_wkF-gzJshB\
        wn521WEjlbsNZMKYqDVdmr0beo5njlwgzOKoBcK5TGEeepIi_nSq7H7gb5vKuYDTEGmlxoW0iUP-Wow62rlanwdjwp_JkGRPixEotmSRr3F9Zs1\
        SLpKpXSA5X4m9_zUj5hPWGhu421RXb7Jq0ACs6qpJ3X8Fr9TRzI5lJoLvBRvyaPTwJze8I6z6lkZdXaSjpeN3japg
        """,
        """
        eyJhbGciOiJSUzUxMiIsImtpZCI6InJzYSIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1IiwiZXhwIjoxfQ.dFT_GIFR2b-Hlwr6gqDW2HhDjtPy327\
        SoeD5fuDy45bHr-hXL8taF8VTh61RfxLRO-3gItG1QhW9luEmyEd5p1VypCHL8F0o7rD95SY7I612nXY0fUMZnRpgRUvumubiYuOM2ttx1D7ret\
        aZ22L6zset7FVC2b7bq9lSb-XxCMHPBuYsWPLq_Ez51SZoFw0bZs_2uVQL79hOf-6vcMjvqM5V6hI2UKbca8rJlbOEf19dwBnQot2IQ2VCm422L\
        zr0pLpHJi_9y2pdDCA4fG6Wf4Sak69IlWVkgYxtW8fMMNllOcyr-lI3gLjgGgF34MyUvaL4KrmqqcSOJurY2lB3pw
        """,
        """
        eyJhbGciOiJQUzI1NiIsImtpZCI6InJzYSIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1IiwiZXhwIjoxfQ.GB2dOPtRREnuQInkR75sLungS2YT7v6\
        Vf8hrisNvEL4TAa5kChIl3zK8nB_XQyiSR-kVE4cYVg4HybDIDf9x59VI72V2IqhIl5oETQtlndvYbJ01XKkfSYC8Xhp1VIkbmEqxaj-m6r9qtk\
        K_bBPom6XZWn1uT5cscurVz2b53y5PMBIkdoAppHecPnWeWBQTKasCj_7xVF5SphB9pkD9AVHBH_Qk_uPuI1rSNRSGJw74GLrc3suXm-6vArgpK\
        dzl0D47YqUMlitcAI7qZzRwGgXYDpVpQWw3M0XcdvrM8tHz3ThV6gN9mY1PyOMG2r-b56Yf_ALOYGspFYrqZwQJMw
        """,
        """
        eyJhbGciOiJQUzM4NCIsImtpZCI6InJzYSIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1IiwiZXhwIjoxfQ.e0dnwrCZEZqblkZwUnKLUfy6o4a__an\
        6yKxPWIpVIcMp0zPD_JcpV7FRjOdsZUr4TGF88Arz-N3cVNFH_MWNJz5sSom0WLkaZeSarfhJoBHAYaS6Kyw6082JzuXr-WG_BII3kpvUkneeFp\
        wsPiRKm3kTiq42yM873kh0626WjR5HR9jjgfj-eDrYh-AxdsNggSFaRABZJMbej-pPyS5PENIF47QAPBx1sXI0HpBF4pzJa3HsAGNiN8BuZDlj7\
        k4N6VXISZrZSm7VKLAwqF0hTztltZJm6I0a6F52RYr1ku5tQKtDmAVgTHpJroXkTOOWEgAMlMbTEKSYCxcsRPPZcA
        """,
        """
        eyJhbGciOiJQUzUxMiIsImtpZCI6InJzYSIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1IiwiZXhwIjoxfQ.S5zj7syDysbsdx8pjauyt0en4NdHmTx\
        j1W_EXdKZ1XEiG4nnyRFyVasOuN6FVdRYr-ajCLHzLhh6lNa6ihqzDPWTFb-N_Detvkl6vjUcUPtOkOvxF75hvQ45Ggbraoe27s64zRf18xcfCW\
        BvWwSc8a0kmhog-drYAJ-Z475botkwsnV10Aar6Yb3KKK6stp9KYYqOxVrjz3R-oBsrtU1_hl4rQgePFk2-g-i6t5f2W6k3nbdsW51fH9H0IcfL\
        76vvuX-Kr2dZUksL2wFgU0EUyE-nQS_tllytOdG130pgrHytpJ0k8lGqo8oejtitHcGycqubXUIwm1iteBAzxomcg
        """,
        """
        eyJhbGciOiJFUzI1NiIsImtpZCI6InAyNTYiLCJ0eXAiOiJKV1QifQ.eyJzdWIiOiJ1IiwiZXhwIjoxfQ.UlR1u0qPGGiGs_CEhmvvFGVoPZC8j\
        mdwqgOl09ipxXOD9PeMEohml23J1SW7ibx6g8-dfnHxhsscZsgIz4bt7g
        """,
        """
        eyJhbGciOiJFUzM4NCIsImtpZCI6InAzODQiLCJ0eXAiOiJKV1QifQ.eyJzdWIiOiJ1IiwiZXhwIjoxfQ.iSFulHa9o2is-CAkuG0Epoo1MWi8q\
        pxqPEFMgeEuuHezGgqElLC8uPz_4vHzmbVN8ytKWYoKEzhc9z5m0W1iGLUYSNfmuwQJ48xvm428WCvEUtyg9xyh3cqExW5qwDJu
        """,
        """
        eyJhbGciOiJFUzUxMiIsImtpZCI6InA1MjEiLCJ0eXAiOiJKV1QifQ.eyJzdWIiOiJ1IiwiZXhwIjoxfQ.AKi2FPStuzkdWQePFlPXLd5cqDFRB\
        UPT5LMNCBipFhj3QKVtu0hberF_CJJiwXmEE2wN1hB3QGd3UxUxXOn_YeNNAMkhR7Ln0RPHyVc_Mont5Ri_Xr-d0wsf2WiwqgQPoCp56lF89aig\
        6iI69i15sxasdhz1rJNJ2LTSljXotCn9NuPV
        """,
        """
        eyJhbGciOiJFZERTQSIsImtpZCI6ImVkIiwidHlwIjoiSldUIn0.eyJzdWIiOiJ1IiwiZXhwIjoxfQ.nbNHSZRyJPjtkTIsis6oMNPhy16C6KbY\
        DVtgWyn-XhrhHof887I-g1B5NNev9r96RQt9R7rBisH6gGHZibhvAA
        """,
    ]
}
