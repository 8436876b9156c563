/* Declare: what the declarations of every public header are made with. They are C; between
 * SL_BEGIN_DECLS and SL_END_DECLS a C++ compiler takes them as such. */
#ifndef SOFTLAB_BASE_DECLARE_H
#define SOFTLAB_BASE_DECLARE_H

#ifdef __cplusplus
#define SL_BEGIN_DECLS extern "C" {
#define SL_END_DECLS   }
#else
#define SL_BEGIN_DECLS
#define SL_END_DECLS
#endif

#define SL_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#define SL_MUST_USE            __attribute__((warn_unused_result))
#define SL_RETURNS_NONNULL     __attribute__((returns_nonnull))
#define SL_NORETURN            __attribute__((noreturn))

#endif
