#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "http_internal.h"

/* IPv4 as ::ffff:a.b.c.d, so that both kinds compare as sixteen bytes. */
static void map_ipv4(const void *four, unsigned char out[16])
{
    static const unsigned char prefix[12] = {[10] = 0xff, [11] = 0xff};
    memcpy(out, prefix, sizeof prefix);
    memcpy(out + sizeof prefix, four, 4);
}

static bool is_mapped(const unsigned char bytes[16])
{
    unsigned char mapped[16];
    map_ipv4(bytes + 12, mapped);
    return memcmp(bytes, mapped, sizeof mapped) == 0;
}

/* The first half of an IPv6 address names the network. */
static void keep_network(unsigned char bytes[16])
{
    if (!is_mapped(bytes)) memset(bytes + 8, 0, 8);
}

static void print_address(const unsigned char bytes[16], char out[INET6_ADDRSTRLEN])
{
    bool mapped = is_mapped(bytes);
    inet_ntop(mapped ? AF_INET : AF_INET6, mapped ? bytes + 12 : bytes, out, INET6_ADDRSTRLEN);
}

bool sl_http_peer_read(const struct sockaddr *address, socklen_t length, struct sl_http_peer *out)
{
    if (address->sa_family == AF_INET && length >= (socklen_t)sizeof(struct sockaddr_in)) {
        struct sockaddr_in in;
        memcpy(&in, address, sizeof in);
        map_ipv4(&in.sin_addr, out->network);
    } else if (address->sa_family == AF_INET6 && length >= (socklen_t)sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 in6;
        memcpy(&in6, address, sizeof in6);
        memcpy(out->network, &in6.sin6_addr, sizeof out->network);
    } else {
        return false;
    }
    print_address(out->network, out->text);
    keep_network(out->network);
    return true;
}

/* ---- As text ---- */

static bool is_port(const char *text, size_t length)
{
    if (length < 2 || length > 6 || text[0] != ':') return false;
    for (size_t i = 1; i < length; i++)
        if (text[i] < '0' || text[i] > '9') return false;
    return true;
}

/* Reduces `text` to the address: the part in brackets, or before the only colon. */
static bool strip_port(const char **text, size_t *length)
{
    const char *end = *text + *length;
    if (*length > 0 && **text == '[') {
        const char *close = memchr(*text, ']', *length);
        if (!close || (close + 1 < end && !is_port(close + 1, (size_t)(end - close - 1))))
            return false;
        ++*text;
        *length = (size_t)(close - *text);
        return true;
    }
    const char *colon = memchr(*text, ':', *length);
    if (!colon || memchr(colon + 1, ':', (size_t)(end - colon - 1))) return true;
    if (!is_port(colon, (size_t)(end - colon))) return false;
    *length = (size_t)(colon - *text);
    return true;
}

bool sl_http_network(const char *text, size_t length, char out[SL_HTTP_NETWORK])
{
    char plain[INET6_ADDRSTRLEN];
    unsigned char bytes[16], four[4];
    if (!strip_port(&text, &length) || length >= sizeof plain) return false;
    memcpy(plain, text, length);
    plain[length] = '\0';
    if (strlen(plain) != length) return false;
    if (inet_pton(AF_INET, plain, four) == 1)
        map_ipv4(four, bytes);
    else if (inet_pton(AF_INET6, plain, bytes) != 1)
        return false;
    keep_network(bytes);
    print_address(bytes, plain);
    snprintf(out, SL_HTTP_NETWORK, "%s%s", plain, is_mapped(bytes) ? "" : "/64");
    return true;
}
