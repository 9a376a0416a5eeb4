// What brings a tunnel back after a reboot: what was asked, or what the host has (decisions.md, R10).
import { PERSISTENCE_TYPES } from '@panel/shared/api/lookups.ts'
import { DEFAULTS } from '../defaults.ts'
import { warn, type Sketch } from './sketch.ts'

export function draftPersistence(sketch: Sketch): number {
  const { body, problems } = sketch
  const wanted = body.persistence_type_id ?? DEFAULTS['tunnel.default_persistence']
  const obstacle = obstacleTo(wanted, sketch)
  if (obstacle === null) return wanted
  if (body.persistence_type_id !== undefined) {
    problems.add('persistence_type_id', 'INVALID_PERSISTENCE_TYPE', obstacle)
    return wanted
  }
  warn(sketch, 'RUNTIME_ONLY_PERSISTENCE', 'persistence_type_id', `The tunnel will be gone after a reboot. ${obstacle}`)
  return PERSISTENCE_TYPES.Runtime
}

/** Why a persistence cannot be had here; null where it can. */
function obstacleTo(persistence_type_id: number, { facts }: Sketch): string | null {
  if (persistence_type_id === PERSISTENCE_TYPES.Runtime) return null
  if (persistence_type_id === PERSISTENCE_TYPES.Networkd) return 'This build does not write files for systemd-networkd.'
  const systemd = facts.helper.savers.find(({ by }) => by === 'systemd')
  if (systemd?.available) return null
  return `systemd cannot keep tunnels on this server: ${systemd?.detail || 'the helper does not know it'}.`
}
