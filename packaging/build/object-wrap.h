/*
 * Compiled ahead of better-sqlite3 12 (packaging/run/prepare.sh). From 24.19 on, node::ObjectWrap asks for the current
 * environment when the garbage collector frees an object. Between two events there is none, and node aborts. The panel's
 * store is opened and closed by one thread that lives as long as the process, so nothing needs those hooks. better-sqlite3
 * 13 does without ObjectWrap, but crashes on Node 20, which is Debian's.
 */
#include <node.h>
#define AddEnvironmentCleanupHook(isolate, hook, argument) static_cast<void>(hook)
#define RemoveEnvironmentCleanupHook(isolate, hook, argument) static_cast<void>(hook)
#include <node_object_wrap.h>
#undef AddEnvironmentCleanupHook
#undef RemoveEnvironmentCleanupHook
