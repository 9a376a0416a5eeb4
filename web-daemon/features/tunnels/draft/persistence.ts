// What brings a tunnel back after a reboot: what was asked, or what the host has (decisions.md, R10).
import { PERSISTENCE_TYPES } from '@panel/shared/api/lookups.ts'
import { networkdLimits } from '@panel/shared/tunnel/networkd-limits.ts'
import { isIpv6Kind, type LinkConfig, type PersistenceBackend } from '@panel/shared/tunnel/model.ts'
import type { HostFacts } from '../facts.ts'
import { warn, type Sketch } from './sketch.ts'

export function draftPersistence(sketch: Sketch): number {
  const { body, problems, settings } = sketch
  const wanted = body.persistence_type_id ?? settings.get('tunnel.default_persistence')
  const obstacle = obstacleTo(wanted, sketch)
  if (obstacle === null) return wanted
  if (body.persistence_type_id !== undefined) {
    problems.add('persistence_type_id', 'INVALID_PERSISTENCE_TYPE', obstacle)
    return wanted
  }
  warn(sketch, 'RUNTIME_ONLY_PERSISTENCE', 'persistence_type_id', `The tunnel will be gone after a reboot. ${obstacle}`)
  return PERSISTENCE_TYPES.Runtime
}

interface Keepers {
  readonly facts: Pick<HostFacts, 'helper'>
}

const SAVER_OF: Readonly<Record<number, PersistenceBackend>> = {
  [PERSISTENCE_TYPES.Systemd]: 'systemd',
  [PERSISTENCE_TYPES.Networkd]: 'networkd',
}

/** Why a persistence cannot be had here; null where it can. */
export function obstacleTo(persistence_type_id: number, host: Keepers): string | null {
  const by = SAVER_OF[persistence_type_id]
  return by === undefined ? null : whyUnavailable(host, by)
}

export function whyUnavailable({ facts }: Keepers, by: PersistenceBackend): string | null {
  const saver = facts.helper.savers.find((known) => known.by === by)
  if (saver?.available) return null
  return `${by === 'systemd' ? by : 'systemd-networkd'} cannot keep tunnels on this server: ${saver?.detail || 'the helper does not know it'}.`
}

/** Nothing of a tunnel is lost in silence: what networkd has no words for is refused, and named. */
export function checkLimits({ problems }: Sketch, interface_name: string, config: LinkConfig): void {
  const limits = networkdLimits(interface_name, config).map(({ field, why }) => ({
    field: isIpv6Kind(config.kind) && field === 'tos' ? 'traffic_class' : field,
    why,
  }))
  if (limits.length === 0) return
  const said = limits.map(({ field, why }) => `${field} (${why})`).join(', ')
  problems.add(
    'persistence_type_id',
    'INVALID_PERSISTENCE_TYPE',
    `systemd-networkd cannot keep ${said}. Change that, or let systemd (10) keep the tunnel.`,
    { fields: limits.map(({ field }) => field) },
  )
}
