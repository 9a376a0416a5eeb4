// Opens the drawer of an incident, which comes with its words when it is needed.
import { loaded } from '../../core/loaded.ts'
import { messages } from '../../core/i18n.svelte.ts'
import { router } from '../../core/router.svelte.ts'

export const bringDrawer = () =>
  loaded(() =>
    Promise.all([
      import('./Drawer.svelte'),
      messages.load(['incidents', 'dashboard', 'routes', 'tunnels', 'path', 'audit', 'diagnostics']),
    ]),
  )

/** "Back" closes it. */
export const openDrawer = (id: number): void => router.pushSearch({ incident: String(id) })

export const closeDrawer = (): void => router.setSearch({ incident: '', diagnose: '' })
