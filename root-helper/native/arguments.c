/* How the functions of an addon read what they are given and throw what went wrong. */
#include "addon.h"
#include <stdio.h>
#include <string.h>
#include <uv.h>

napi_value fail(napi_env env, int error, const char *what)
{
	char name[32], text[160];
	uv_err_name_r(-error, name, sizeof name);
	snprintf(text, sizeof text, "%s: %s", what, strerror(error));
	napi_throw_error(env, name, text);
	return NULL;
}

bool arguments(napi_env env, napi_callback_info info, size_t wanted, napi_value *values)
{
	size_t given = wanted;
	if (napi_get_cb_info(env, info, &given, values, NULL, NULL) == napi_ok && given >= wanted) return true;
	napi_throw_type_error(env, NULL, "too few arguments");
	return false;
}

bool integer(napi_env env, napi_value value, int *out)
{
	if (napi_get_value_int32(env, value, out) == napi_ok) return true;
	napi_throw_type_error(env, NULL, "not an integer");
	return false;
}
