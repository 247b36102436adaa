// SHA-256 and HMAC by OpenSSL's libcrypto, in the way in which its administrator has set it up (openssl.cnf): a
// provider that is certified serves here too. Nothing here throws.
#include <cstdio>
#include <cstdlib>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "plugins/plugin.h"

namespace {

struct Library {
    EVP_MD *sha256;
    EVP_MAC *hmac;
};

// The errors that a call leaves with its thread are not for the program, which may use the same library.
class OwnErrors {
public:
    OwnErrors() {
        ERR_set_mark();
    }
    ~OwnErrors() {
        ERR_pop_to_mark();
    }
    OwnErrors(const OwnErrors &) = delete;
    OwnErrors &operator=(const OwnErrors &) = delete;
};

void say_why(char *said, size_t said_bytes) {
    const unsigned long error = ERR_peek_last_error();
    const int used = std::snprintf(said, said_bytes,
                                   "OpenSSL %s has no HMAC with SHA-256: ", OpenSSL_version(OPENSSL_VERSION_STRING));
    if (used > 0 && static_cast<size_t>(used) < said_bytes) {
        ERR_error_string_n(error, said + used, said_bytes - static_cast<size_t>(used));
    }
}

void close(void *crypto) {
    auto *library = static_cast<Library *>(crypto);
    EVP_MAC_free(library->hmac);
    EVP_MD_free(library->sha256);
    std::free(library);
}

xcoll_result_t open_library(void **crypto, char *said, size_t said_bytes) {
    const OwnErrors errors;
    auto *library = static_cast<Library *>(std::malloc(sizeof(Library)));
    if (!library) {
        std::snprintf(said, said_bytes, "out of memory");
        return XCOLL_ERR_NO_MEMORY;
    }
    *library = {EVP_MD_fetch(nullptr, "SHA256", nullptr), EVP_MAC_fetch(nullptr, "HMAC", nullptr)};
    if (!library->sha256 || !library->hmac) {
        say_why(said, said_bytes);
        close(library);
        return XCOLL_ERR_UNSUPPORTED;
    }
    std::snprintf(said, said_bytes, "OpenSSL %s", OpenSSL_version(OPENSSL_VERSION_STRING));
    *crypto = library;
    return XCOLL_SUCCESS;
}

xcoll_result_t hash(void *crypto, const xcoll_bytes *parts, size_t count, unsigned char hash[XCOLL_HASH_BYTES]) {
    const OwnErrors errors;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context && EVP_DigestInit_ex2(context, static_cast<Library *>(crypto)->sha256, nullptr);
    for (size_t i = 0; good && i < count; ++i) {
        good = EVP_DigestUpdate(context, parts[i].data, parts[i].bytes);
    }
    good = good && EVP_DigestFinal_ex(context, hash, nullptr);
    EVP_MD_CTX_free(context);
    return good ? XCOLL_SUCCESS : XCOLL_ERR_SYSTEM;
}

// A key without bytes needs an address all the same: without one OpenSSL takes the key of the last time.
const unsigned char *address_of(const xcoll_bytes &key) {
    return key.bytes > 0 ? static_cast<const unsigned char *>(key.data) : reinterpret_cast<const unsigned char *>("");
}

xcoll_result_t keyed_hash(void *crypto, xcoll_bytes key, const xcoll_bytes *parts, size_t count,
                          unsigned char hash[XCOLL_HASH_BYTES]) {
    const OwnErrors errors;
    char digest[] = "SHA256";
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                     OSSL_PARAM_construct_end()};
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(static_cast<Library *>(crypto)->hmac);
    bool good = context && EVP_MAC_init(context, address_of(key), key.bytes, parameters);
    for (size_t i = 0; good && i < count; ++i) {
        good = EVP_MAC_update(context, static_cast<const unsigned char *>(parts[i].data), parts[i].bytes);
    }
    size_t bytes = 0;
    good = good && EVP_MAC_final(context, hash, &bytes, XCOLL_HASH_BYTES) && bytes == XCOLL_HASH_BYTES;
    EVP_MAC_CTX_free(context);
    return good ? XCOLL_SUCCESS : XCOLL_ERR_SYSTEM;
}

constexpr xcoll_crypto_plugin table{
    {XCOLL_PLUGIN_ABI, XCOLL_PLUGIN_VERSION}, open_library, hash, keyed_hash, close,
};

} // namespace

extern "C" XCOLL_API const xcoll_plugin_head *xcoll_plugin_crypto() {
    return &table.head;
}
