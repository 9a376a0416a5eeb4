// The events that settings publish.
import type { SettingKey } from './definitions.ts'

export interface SettingEvents {
  /** These settings have other values than before: timers that depend on one have to be set again. */
  'settings.changed': { readonly keys: readonly SettingKey[] }
}

declare module '../../platform/events/bus.ts' {
  interface PanelEvents extends SettingEvents {}
}
