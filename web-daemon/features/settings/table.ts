// The stored settings, as Kysely sees them.
export interface SettingTable {
  key: string
  /** JSON. */
  value: string
  updated_date: string
}

export interface SettingTables {
  setting: SettingTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends SettingTables {}
}
