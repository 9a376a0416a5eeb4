// Where a rule of a table leads: its destinations, each by its own slots, and which of them are in rotation.
import { isFastIn } from './fast-path.ts'
import { hex, ruleMark, SLOTS_MAX } from '../mark.ts'
import { IN_ROTATION, type RelayDestination, type RelayRule } from '../model.ts'
import { turnsOf, weightedSlots } from '../slots.ts'
import type { Table } from './table.ts'

type Destinations = Pick<RelayRule, 'balance' | 'destinations' | 'is_closed'>
/** Finds the destination of a slot. */
type Elements = (slot: number) => RelayDestination | null

/** `lines` are those of the rule's own chain, if it has one. */
export function readDestinations(
  table: Table,
  id: number,
  family: 4 | 6,
  lines: readonly string[],
  firstPort: number,
): Destinations {
  const markAt = (slot: number): number => ruleMark(id, slot, isFastIn(table, id))
  const homeOf: Elements = (slot) => outAt(table, family, markAt(slot))
  const leadOf: Elements = (slot) => leadAt(table, family, markAt(slot), firstPort)
  const owners: RelayDestination[] = []
  for (let own = homeOf(0) ?? leadOf(0); own; own = homeOf(owners.length) ?? leadOf(owners.length)) owners.push(own)
  const weights = readWeights(table, id)
  const draws = lines.find((line) => line.startsWith('ct mark set ')) ?? ''
  const drawn = Number(/ mod ([0-9]+) /.exec(draws)?.[1] ?? 1)
  const backups = owners.slice(drawn).map((one) => ({ ...one, is_backup: true }))
  return {
    balance: balanceOf(weights, draws),
    destinations: [...primaries(owners.slice(0, drawn), weights, SLOTS_MAX - backups.length), ...backups],
    is_closed: homeOf(0) !== null && owners.every((_, slot) => leadOf(slot) === null),
  }
}

function balanceOf(weights: readonly number[], draws: string): RelayRule['balance'] {
  if (weights.length > 0) return 'weighted'
  return draws.includes(' jhash ') ? 'source_hash' : draws.includes(' numgen ') ? 'round_robin' : 'none'
}

function readWeights(table: Table, id: number): number[] {
  const weights: number[] = []
  const next = (): string | undefined =>
    table.sets.get('relay_weight')?.elements?.get(hex(ruleMark(id, weights.length)))
  for (let weight = next(); weight !== undefined; weight = next()) weights.push(Number(weight))
  return weights
}

/** The weights determine the slots, so the first slot of each destination shows its position. */
function primaries(owners: readonly RelayDestination[], weights: readonly number[], most: number): RelayDestination[] {
  if (weights.length === 0) return owners.slice(0, turnIn(owners, most))
  const slots = weightedSlots(weights, most)
  return weights.map((weight, index) => ({ ...(owners[slots.indexOf(index)] ?? NOWHERE), weight }))
}

/** How many destinations of equal weight take turns in these slots; each has one if they are laid out only once. */
function turnIn(owners: readonly RelayDestination[], most: number): number {
  const isOfTurn = (length: number): boolean =>
    turnsOf(new Array<number>(length).fill(1), most) * length === owners.length &&
    owners.every((one, at) => isSameEnd(one, owners[at % length]))
  return [...owners.keys()].slice(2).find(isOfTurn) ?? owners.length
}

const isSameEnd = (one: RelayDestination, other: RelayDestination | undefined): boolean =>
  one.address === other?.address && one.port === other.port

const NOWHERE: RelayDestination = { address: '', port: 1, port_range_end: null, weight: 1, ...IN_ROTATION }

function outAt({ sets }: Table, family: 4 | 6, mark: number): RelayDestination | null {
  const out = ending(sets.get(`relay_home${family}`)?.elements?.get(hex(mark)))
  return out && { ...out, rotation: 'out' }
}

function leadAt({ sets }: Table, family: 4 | 6, mark: number, firstPort: number): RelayDestination | null {
  const same = sets.get(`relay_same${family}`)?.elements?.get(hex(mark))
  if (same !== undefined) return { ...NOWHERE, address: same, port: firstPort }
  return ending(
    sets.get(`relay_to${family}`)?.elements?.get(hex(mark)) ??
      sets.get(`relay_shift${family}`)?.elements?.get(`${hex(mark)} . ${firstPort}`),
  )
}

function ending(text: string | undefined): RelayDestination | null {
  const [address, port] = text?.split(' . ') ?? []
  return address !== undefined && port !== undefined ? { ...NOWHERE, address, port: Number(port) } : null
}
