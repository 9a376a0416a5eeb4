// Everything that features add to the platform's open interfaces: tables of the store, events, settings.
// Exported from here so that a program that reads only the declarations of the panel, as the tests do, sees all of it.
export type { Database } from '../platform/db/database.ts'

export type * from '../features/audit/table.ts'
export type * from '../features/auth/table.ts'
export type * from '../features/diagnostics/table.ts'
export type * from '../features/listeners/table.ts'
export type * from '../features/metrics/table.ts'
export type * from '../features/monitor/table.ts'
export type * from '../features/pools/table.ts'
export type * from '../features/reconcile/events.ts'
export type * from '../features/routes/events.ts'
export type * from '../features/routes/table.ts'
export type * from '../features/settings/definitions.ts'
export type * from '../features/settings/events.ts'
export type * from '../features/settings/table.ts'
export type * from '../features/tunnels/events.ts'
export type * from '../features/tunnels/table.ts'
