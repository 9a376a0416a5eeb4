// Of a panel from which nothing was taken away.
import { Heals } from '@panel/web-daemon/change/heal.ts'
import type { SettingsReader } from '@panel/web-daemon/platform/settings.ts'

export const idleHeals = (settings: SettingsReader): Heals =>
  new Heals({ now: () => new Date(), settings, onRepeated: () => undefined, onContested: () => undefined })
