/** Compiles the addon unless it is current; returns its path. */
export function buildNative(): string
