// The options that node gets for each daemon, one list for every program that starts them.

/**
 * The C library's default is an arena for each of node's threads, which costs each daemon ten mebibytes and gains
 * nothing here.
 */
export const DAEMON_ENVIRONMENT = { MALLOC_ARENA_MAX: '1' } as const

/**
 * V8 lets garbage pile up to what its limits allow. With these both daemons keep within 150 MB while a thousand tunnels
 * are probed and listed, at the same speed; the old generation is bounded above what it ever holds
 * (test/bench/README.md has the figures).
 */
const memory = (young_mib: number, old_mib: number) =>
  [`--max-semi-space-size=${young_mib}`, `--max-old-space-size=${old_mib}`] as const

/** Root never makes code out of text: its checks are compiled ahead (packaging/build/plugins.ts). */
export const HELPER_FLAGS = ['--disallow-code-generation-from-strings', ...memory(16, 256)] as const
/** The web daemon holds more than 256 MiB while something stops 10,000 rules at once. */
export const WEB_FLAGS = memory(8, 512)
