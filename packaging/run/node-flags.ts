// The options that node gets for each daemon, one list for whoever starts them.

/**
 * V8 lets garbage pile up to what its limits allow. With these a daemon that has just told of a thousand tunnels keeps to some 95 MiB in the
 * place of 140, at the same speed; the old generation is bounded far above what it ever holds (test/bench/README.md has the figures).
 */
const memory = (young_mib: number) => [`--max-semi-space-size=${young_mib}`, '--max-old-space-size=256'] as const

/** Root never makes code out of text: its checks are compiled ahead (packaging/build/plugins.ts). */
export const HELPER_FLAGS = ['--disallow-code-generation-from-strings', ...memory(16)] as const
export const WEB_FLAGS = memory(8)
