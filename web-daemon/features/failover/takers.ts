// Which destinations of a rule get new connections now: those in rotation, else its backups, else all of them.
import { LOAD_BALANCE_MODES } from '@panel/shared/api/base/lookups.ts'
import { isActive, rotationOf, ruleOf, type DestinationRecord, type RouteRecord } from '../routes/record.ts'

export function takersOf(record: RouteRecord): DestinationRecord[] {
  if (!record.is_enabled || (ruleOf(record)?.is_closed ?? true)) return []
  const all = record.destinations.filter((one) => isActive(one) && one.address !== '')
  const backups = all.filter((one) => one.is_backup)
  const others = all.filter((one) => !one.is_backup)
  const primaries = record.load_balance_mode_id === LOAD_BALANCE_MODES.None ? others.slice(0, 1) : others
  const isIn = (one: DestinationRecord): boolean => rotationOf(one) !== 'out'
  return [primaries.filter(isIn), backups.filter(isIn), primaries].find((some) => some.length > 0) ?? []
}
