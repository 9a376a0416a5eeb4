// The kept listener, as Kysely sees it.
export interface ListenerTable {
  listener_id: number
  address: string
  port: number
  tls_cert: string | null
  /** A secret: it is in no answer, no log, no audit entry and no backup. */
  tls_key: string | null
  /** The configured address when it was kept. */
  configured_address: string
  configured_port: number
  created_date: string
}

export interface ListenerTables {
  listener: ListenerTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends ListenerTables {}
}
