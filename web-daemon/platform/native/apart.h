/* apart.c: file operations in a process of its own. */
#ifndef PANEL_APART_H
#define PANEL_APART_H

#include <node_api.h>

napi_value fork_files(napi_env env, napi_callback_info info);
napi_value reap(napi_env env, napi_callback_info info);

#endif
