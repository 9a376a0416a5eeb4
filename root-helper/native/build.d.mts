/** Compiles the addon of that name unless it is current; returns its path. */
export function buildNative(name: 'panel' | 'service'): string
