// The settings that something reads, each with its shape and what holds while nobody has set it (decisions.md, section 8).
import { integer, Type, type Static, type TSchema } from '@panel/shared/model/schema.ts'
import { DeviceName } from '@panel/shared/model/observed.ts'

const setting = <S extends TSchema>(schema: S, byDefault: Static<S>) => ({ schema, default: byDefault })

export const SETTINGS = {
  /** Seconds. */
  'system.reconcile_interval_seconds': setting(integer(10, 86_400), 300),
  'system.ignored_interfaces': setting(Type.Array(DeviceName), []),
} as const

export type SettingKey = keyof typeof SETTINGS
export type SettingValue<K extends SettingKey> = Static<(typeof SETTINGS)[K]['schema']>
