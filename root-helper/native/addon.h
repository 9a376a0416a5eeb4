/* What all addons share: reading arguments, throwing failures, and notifying the service manager. */
#ifndef PANEL_ADDON_H
#define PANEL_ADDON_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <node_api.h>

/* Throws an Error whose `code` is the errno's name. */
napi_value fail(napi_env env, int error, const char *what);

/* Reads the arguments; false with a TypeError thrown where one is missing. */
bool arguments(napi_env env, napi_callback_info info, size_t wanted, napi_value *values);

bool integer(napi_env env, napi_value value, int *out);

/* notify.c: sends text to the service manager, with a descriptor where one is passed; false where none listens. `what` names it in a failure. */
napi_value notify(napi_env env, const char *what, char *text, size_t length, const int *passed);
napi_value sd_notify(napi_env env, napi_callback_info info);

#endif
