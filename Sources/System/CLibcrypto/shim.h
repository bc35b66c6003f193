#ifndef GATEHOUSE_CLIBCRYPTO_SHIM_H
#define GATEHOUSE_CLIBCRYPTO_SHIM_H

#include <string.h>
#include <time.h>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

// Constants that Swift does not import, since they are neither plain constants nor functions.

/// The selection macro EVP_PKEY_PUBLIC_KEY as a constant.
static const int EVP_PKEY_PUBLIC_KEY_SELECTION = EVP_PKEY_PUBLIC_KEY;

// Parameter names as permanent pointers: OSSL_PARAM_BLD stores the pointer, and the bytes of a Swift string are valid
// only during the call.
static const char *const RSA_MODULUS_PARAMETER = OSSL_PKEY_PARAM_RSA_N;
static const char *const RSA_EXPONENT_PARAMETER = OSSL_PKEY_PARAM_RSA_E;
static const char *const EC_GROUP_PARAMETER = OSSL_PKEY_PARAM_GROUP_NAME;
static const char *const EC_POINT_PARAMETER = OSSL_PKEY_PARAM_PUB_KEY;

#endif
