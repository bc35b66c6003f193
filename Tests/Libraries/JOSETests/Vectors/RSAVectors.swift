/// Tokens of one RSA key, created with another implementation.
enum RSAVectors {
    /// A key of 2048 bits, without "alg".
    static let jwk = #"""
        {"kty":"RSA","kid":"k","n":"zAhirpPYu0q2spfSKRuaX7mHaIizO9-cVhQrms4Y2rWRNzHc8ss71Lpk28RcxiIAs31PvpK1cNlO43y1FK\#
        1exBwin2NpCxqWPon6My-vXPYJlh-0kwN3YjeheyzsLGEx-xJlIv8utqsYEdXfzF5J4JjqqxCrYKJ4rSD-eTSkP_vJAODaQ-vL6yHSSUZec7hF\#
        1rR8b3G4FJ43nGdQNdLCq-VnzwBvn0XmQ9V5x2Ckl1C_0tJ3ePFum2-WoC4OeeqznRn61GPSQ21R-dqjCbRxmss-vdNkO4FPyojLHl3NX2yM0K\#
        o0Opq2VUH_QXoLJVLrEkq-S82diDyjpK7p3gY8Qw","e":"AQAB"}
        """#
    static let rs256 = #"""
        eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.HoY8G42nI4QjXFGmXLw_cudGb0EyDNGqiltx9zOldwj\#
        vjp0AiANTdEBEOKYhb5K3PdjkzEtUbVD-d8QdmgkRnySRAFdYmcVv0zBSFjhCQSQxgRmpu7Rx0wl2ZJR1BMRYDrtxZDRTC8QHVf8Vi60UDeKhG\#
        2B1HFWYiFygbUqfoLieibWJcikbJ7PehnxlktGahgiLtNTbbdv8tZTj3Z9KCJvBLTlPIOIZLyllMbwQyKSKFpftcSUclXwlK0luy_pJw7rLlAY\#
        u2LdBb7A456yluuAkEHt3KBiLJMPknw2Gr_UbG60ILPj8GfIhIFhakpPYnDLs_hcWN8B9nYHNnU5BMw
        """#
    static let rs384 = #"""
        eyJhbGciOiJSUzM4NCIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.dnY9VSIfHZnbblSCb9u4_TNBbXh_VFQctpkd1DBsAXd\#
        EYrNDdarRvbuLXQY9V7U9q0LDrVFWBe-L3W99rgh3Hdj7S_RZJQoLqp9xL1KbAuzTnzF-2fIQR5GOGOTGFIX7pDZqFTQzrvcoftXFXFFnJGeyw\#
        iVcHpd-R2Qo-aSTBMZ1qasYUD47GJ35R5sKYXa_HaC9zC4ykZWV59cxbzKowRW7pA2x36qYlyUODhaS40iJvHx9TutEsZ5Y41MnaAw70eN2ly6\#
        yJoSTL6SWEJ8aTraAs__iAqzUohlliheIy7PKGg7yTxDb55uh_sQ35vdYkJFlsk3aL66a-LTynHubzw
        """#
    static let rs512 = #"""
        eyJhbGciOiJSUzUxMiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.QeC3Sc-f4OQcYipq5SY7Nvazxt-_TEYMpSZJ_RWmkyc\#
        HGk6iL77spbBuuDFGOpSzz6w37rBjfN80MTXMrp_tqLpV06LMe7t7j6HyaLdbHQjUJeXNl75fH3hH5j5teO3XBg8pbeowW4oXLn8OS1LkO063D\#
        GrKjbjGP-rRTdgjkGdfCn28BR7jyZHCxNknBwB9-NjgTTYdP32z_ORJ37X_JHXtmpQD9HCiFzzUfZL6FTWVQDK1FU2vQJ6jhgdfQH8Gfj6ogBf\#
        H78cip_QE28WesIOPGKKnNGqItCM-wmzXUqhxyOCPhzqOKXnIovK4rCksJX4LlIvTXLIpihnQetSyvQ
        """#
    /// PS256 with a salt as long as the digest.
    static let ps256 = #"""
        eyJhbGciOiJQUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.iMQ_zHFwQ5iR6JL43zZfIydfqpPSv-io-JEIuddLbjL\#
        t_Z5tXK8azhAbvT6LoRA_FsD-0j3cnwaVDzS8JiNwUlhLOxkua741uXWuXwY0O1Pc9oi4vcVqQb-L3XhZqUfCV9g7O5nt0uRj6vfG1wSrqGnbB\#
        snyAegXutvYpMX5ZASulgtpLeEVGrqzfEeVeDcr1k7--YpVZYY7Iw9Et8qm40a74thpBLiadGqgq85VGx_PSsWyncqKLyXP9AU6ebfm45aZhJs\#
        ottL5Vs5Q8fEoezMJ8W0mookMYmBjBb-cIhDUW9d_Kj-OEi_Btpl9BprTO66AfmHuLLtAlAkUtC5FIg
        """#
    /// PS384 with a salt as long as the digest.
    static let ps384 = #"""
        eyJhbGciOiJQUzM4NCIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.HxUPFfGWG3kS5XnnSAwi6ku_nKuIheX4bUW86LMjIso\#
        58isinKE2myU-JSBhSRSI191VVf4wsFJRHXdsc73mYLWRmrdM5GtfC91ZQ8MDr9CBM5p97A6qeaUBmUsPuFP5HJg9TTu5Na6wqU9wqBMJe79MU\#
        XyGg410Z50zuy6FUc_ZV6Ez2yQ_P9NWb6bskP_7L8JxKOIb_-2ALbOlPBYc5vJ8iyOkV_mzPboU9ZuIKsJpZtM8L4zCUtCrOc6B0hmaNDZjAcJ\#
        WegUjZelZCZp4KYQfJUshpWaXhXZudlwDZHY8nBCMIv4X2MBRM0tBMLrhTGS4mvsYIqIek6UJGOgZ3g
        """#
    /// PS512 with a salt as long as the digest.
    static let ps512 = #"""
        eyJhbGciOiJQUzUxMiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.vvyce63yWfzM3Of_PomxggM-x4DwxwYxOP_GfHeqSG1\#
        U-o6mSbPv9cvyXkO8P51UL06h83HbfxY67alyQcWqki6BVAro08MLH4pDLSEFr30fmnSyQDLk4WopmTkVPPgXkAn7TAUlyMKOBD9cZLHPIVHrS\#
        fKdY0P1F5wuYrydE7UT2hpgVeHp807yfG6iHx_ANmOSPig9MKTsZiv9uh7o7n2udEaQ2YeICuAZgxaTl_eUsiXRCAtHHv3MvH8tbjnatQvdYcE\#
        pvhiF7Q_Wqkzd-DyD95eir6kx45XOrtF1XFhFuE7zOULXj7O1mHUNzufIiTPa0OP2bNvtExPI2TVDcA
        """#
    /// PS256, except that the salt has 20 bytes.
    static let ps256WithSaltOf20 = #"""
        eyJhbGciOiJQUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.LTghpOSHIp1YFkz6R_KxjzS50ItYQ4ika3ffvaKJx1R\#
        9ECJ88utM7Pm4IGLwGGIM_p8L4ku34OSHgblxwGO5lSy-fKxLLYa8iBNPbc3n3b_7MUjF23BJByXx_zEaskIxeNEIoM30CUWPD9J1_QrqE5MKK\#
        H-J9xr8OnKenTDK2LiF_HBrXUC_lHytmgfQkwAWBZTZDFDwNmpS7oULJUs2P0_38oF6K4bZGvYdr9bRhgsP5YL8AbwU5X7xdGfZHiPoPKneqfy\#
        MtvyQxZ4_eI2XNZgLa3ZjhkK5__Y3VLu5YXPsbdvxzVzSIfresZnmv1OKcXFTt3Gz32y5v1qQ9eRXqg
        """#
    /// PS256, except that there is no salt.
    static let ps256WithoutSalt = #"""
        eyJhbGciOiJQUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.hHoLSxxWtQGCoU97uhawHFL0WZJr4EJGH74vsgHPh1B\#
        pMMj4dnquwuUO_jwCLvfFDBsJtriAkNNdcY9ShKCTkAKIaikcOScLq3hwYQ5hOx-IUuwCBbT_abkHrLLQAzA7TgCtaOEvmtmxOc9QWXXzTJlma\#
        RSDbTYJbfzykVB1l9V8RQ2az2ABLmZkk74hMlxl6hvO0HvykIYSvtH_3VlimAJM3iv5q7N7yzd050WEQSSrTiVeNINKVag9v1DqsZDtsOCdT05\#
        zAiodISALCmCAsN04BEoiHzE5TzQVPR7ABUpItBVdpaP9Jk0dQ9sUUKUTviGfim6e0-WKBWPpUiu_sQ
        """#
    /// PS256, except that the salt has the maximum length.
    static let ps256WithLongestSalt = #"""
        eyJhbGciOiJQUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.Z6DYBjfjKaxURnvlpH_67RvPloHa5uLXDoAAW-3L4gL\#
        lY7s6uqq0DYsPDCKQu8_8VK3khQ18ipP8AFsN2I9qMvpBXGCXE6aoTXsQqvCqm53KvQK5SUK1dthUBJhs5sbdNumqcL5wrrXlhhCox8RfD_Gwo\#
        cuebvNgAdHk-ymi6SrXJP7f-RXNXxt4KXn8hWVSuobVkG0VCr8rCZNo-H7SZAqsn3GBot4_hhaj2mppKWohNPXtw8FDzFeYhi9N_YgUfwZAXIl\#
        Of2aaw9MO1Nlo5UXiMW0ME9lwwa9av5mkoDyl4BB9gpcalsAC6xWoAQUyUiTi5eOJUNtigEvf9hmnkg
        """#
    /// PS256, except that the mask uses SHA-1.
    static let ps256WithSHA1Mask = #"""
        eyJhbGciOiJQUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.OHtqbbrRcYxo9kJVkMcE2Nv3Wim9A4aqQ5HxfmIoTow\#
        syRzkIR5KJzTgJVEL6Vy1iw_ysj7vG8byYpa9WKkJWn1HUkVHQL_cjgmABcDqj3LxHfMvoaRVC9MXnbr5H9aY7nu5QwgTGfZnsKWCe-T0zdb33\#
        ehY2CzDzHk6JjZ4vUAHyOgE9Nr2atLSNSitAb8z5Oa5yUGIFQevUQFBLu1fVHdRz-Y9y3EKsUbKsNSh14OX6CtPrfqghWVD_IKjPpeYPNoK6K0\#
        ppJLfByogIigSTuUcgmPKWb_pSjjFdNbKqmmyzJNxwvN4xWmLFt1vqNtp8GAFrQul2gRIDFFgh9pEaw
        """#
    /// RS256 in the header, and a signature with SHA-1.
    static let rs256WithSHA1 = #"""
        eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.QyUoq17x3QJwLj2C_uVd8-HdmpwRqJxNCHhMS4sh7lA\#
        1na8D2QDBIA8TA-iIY4wtTo53SpL8vvEgO6WpNewutFyU5PeGLIwcmFueHfvep8GSoBSmm5iBvyEbcRvkkqGgi7az_V_Gx1pCzAYCsMM21pULx\#
        p9Ph2gEeSmQAE3REtd5QRHFgDLN8RiCgKD_zBMAA4NrptQGfLdeSMXNigt9LY4XqWB8Bik0TETNJAwI5g9srpkR00kwwoE8_CkBubFHbJRDP5Y\#
        efD1VHP9kBVHbBu9R7VepphSZNerrjeOvDjOQ0T8IutO6aeWijpKeCrG2S-0upIjP-yraU53m7AjlYg
        """#
    /// RS256, whose signature begins with a zero byte.
    static let rs256WithLeadingZero = #"""
        eyJhbGciOiJSUzI1NiIsImtpZCI6ImsiLCJuIjoyMDV9.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.AN8lKVR-FybKFtrJYM89twR2j-dngse1U\#
        dLYwsiwevsqy3ef5v6c2mVHwJmfJ5Hh2sBmvJ1_9jbylvF8bJYg3KapnAi7V54ERYh-nHZVBOxuShpHS4Ij61OZ226fj5NhiO0qA-ugfxYjual\#
        1NbrCOpoQ5T-cbFTPhEwRNZg5m3-I0tO7Rb8vXn3rcOXU8MwHsp7XMy8FTbyQyPaW5_9CRp0U1qFVu3MSZgz5VEplJfmvh4Ex41a2c2K7YXtk_\#
        PL2DtedDYpdJyJCs63S4wx1ksvcuqP0sW8j7VZSU0GKt9plgTjFLyB1ve-Pm2ghvqioFAQosohx5YmEzR7myRSrqQ
        """#
    /// The same signature without that byte.
    static let rs256WithLeadingZeroDropped = #"""
        eyJhbGciOiJSUzI1NiIsImtpZCI6ImsiLCJuIjoyMDV9.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.3yUpVH4XJsoW2slgzz23BHaP52eCx7VR0\#
        tjCyLB6-yrLd5_m_pzaZUfAmZ8nkeHawGa8nX_2NvKW8XxsliDcpqmcCLtXngRFiH6cdlUE7G5KGkdLgiPrU5nbbp-Pk2GI7SoD66B_FiO5qXU\#
        1usI6mhDlP5xsVM-ETBE1mDmbf4jS07tFvy9efetw5dTwzAeyntczLwVNvJDI9pbn_0JGnRTWoVW7cxJmDPlUSmUl-a-HgTHjVrZzYrthe2T88\#
        vYO150Nil0nIkKzrdLjDHWSy9y6o_SxbyPtVlJTQYq32mWBOMUvIHW974-baCG-qKgUBCiyiHHliYTNHubJFKup
        """#
    /// An HMAC with the PEM of the public key as the secret.
    static let hs256KeyedWithPEM = Tokens.signed("HS256", "F_ZG7jFx9Z-Jyp31dRW_polmy79bCfaRNZM51p3cxBI")
    static let rs256KeyedWithPEM = Tokens.signed("RS256", "xGiyVAHzuq_BJTP4xTgnT5Ltpl3VMp7sG2an7GhpCto")
    /// An HMAC with the DER of the public key as the secret.
    static let hs256KeyedWithDER = Tokens.signed("HS256", "yYSLnl_3t3bCdFOyW5iyb4cvpABzXd8EqZvdiesFi8M")
    static let rs256KeyedWithDER = Tokens.signed("RS256", "SPuKzyXgUvIqHv7DBkvyjxA1gyEjVZ-5mwI58y9OVNU")
    /// An HMAC with "n" of the JWK as the secret.
    static let hs256KeyedWithModulus = Tokens.signed("HS256", "X2g6xXxj7zX6Z1YEXvq1GZ9NIlXUzJB3EYzbiJbRtss")
    static let rs256KeyedWithModulus = Tokens.signed("RS256", "qyH3ud82eI5iZGA4lSfA575Se1ALf5OCXcCjiePDmkk")
}
