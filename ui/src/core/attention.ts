// What needs the operator: incidents, and the parts of the panel that no incident explains; pure, for tests.
import type { Incident } from '@panel/shared/api/incidents.ts'
import type { ComponentName, HealthComponent } from '@panel/shared/api/system.ts'

/** What a tab shows of it at a glance; "unknown": the panel does not answer. */
export interface Glance {
  readonly count: number
  readonly mark: 'down' | 'degraded' | 'unknown' | null
}

/** The same as long as it lasts. */
export const incidentKey = ({ kind, id, name }: Incident): string => `${kind} ${id ?? name}`

const PAGES = {
  network: '/networks',
  certificate: '/system',
  disk: '/metrics',
  helper: '/system',
  backup: '/backup',
} as const

/** The address that opens the drawer of one that is stored. */
export const drawerOf = ({ record }: Pick<Incident, 'record'>): string | null =>
  record && `/?incident=${record.incident_id}`

/** The page about it. */
export const incidentPage = ({ kind, id }: Pick<Incident, 'kind' | 'id'>): string =>
  kind === 'tunnel' ? `/tunnels/${id}` : kind === 'route' ? `/routes/${id}` : PAGES[kind]

/** One that is silenced is shown, but not counted. */
export const isCounted = ({ record }: Pick<Incident, 'record'>): boolean => record?.silenced == null

/** Components of health that are incidents of their own. */
const INCIDENT_KIND: Readonly<Partial<Record<ComponentName, Incident['kind']>>> = {
  rules: 'route',
  tls: 'certificate',
  helper: 'helper',
  backup: 'backup',
}

export const unexplained = (
  components: readonly HealthComponent[],
  incidents: readonly Incident[],
): HealthComponent[] =>
  components.filter(
    ({ name, status }) =>
      (status === 'error' || status === 'degraded') && !incidents.some(({ kind }) => kind === INCIDENT_KIND[name]),
  )

export const glanceAt = (incidents: readonly Incident[], components: readonly HealthComponent[]): Glance => {
  const parts = unexplained(components, incidents)
  const counted = incidents.filter(isCounted)
  const isDown = counted.some(({ state }) => state === 'down') || parts.some(({ status }) => status === 'error')
  const count = counted.length + parts.length
  return { count, mark: isDown ? 'down' : count > 0 ? 'degraded' : null }
}

export const SILENT: Glance = { count: 0, mark: 'unknown' }
