// The kept listener, as Kysely sees it.
export interface ListenerTable {
  listener_id: number
  address: string
  port: number
  tls_cert: string | null
  /** Sealed (sealed-pair.ts). */
  tls_key: Buffer | null
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
