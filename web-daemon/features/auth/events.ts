// The events that signing in publishes.
export interface StoredAuthEvents {
  /** A sign-in from a network without one in the last 30 days. */
  'auth.new_network': { readonly username: string; readonly client_ip: string }
  /** So many more were refused, which one entry of the audit log tells of. `client_ip`: of the last one. */
  'auth.sign_in_failed': { readonly client_ip: string; readonly count: number }
}

declare module '../../platform/events/bus.ts' {
  interface StoredEvents extends StoredAuthEvents {}
}
