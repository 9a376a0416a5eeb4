/**
 * Compiles the addon of that name unless it is current; returns its path. `compiler` is the prefix of a cross compiler,
 * such as aarch64-linux-gnu; without it the addon is for this machine.
 */
export function buildNative(name: 'panel' | 'service', compiler?: string): string
/** Does the same for sources and an output of the caller's own. */
export function compileAddon(output: string, sources: readonly string[], compiler?: string): string
