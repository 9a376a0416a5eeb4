// What of the page a change of a rule makes old.
/** Queries that a rule change invalidates. */
export const STALE = ['/routes', '/reconcile', '/system/forwarding'] as const
