// tunnel-panel status: both daemons, the health of the panel, and a line for each tunnel and each relay rule.
import { existsSync, statSync } from 'node:fs'
import type { Config } from '../../app/config.ts'
import { CommandError } from '../errors.ts'
import { outputOfOwner } from '../owner.ts'
import { printLine, printText } from '../print.ts'
import { widthOf } from '../text/layout.ts'
import type { Overview, OverviewItem } from './overview.ts'
import { HELPER_UNIT, unitState, WEB_UNIT } from './programs.ts'
import { isRoot, needsRoot } from './root.ts'

export const JSON_OPTION = '--json'

/** How the whole is: "down" if anything is, otherwise "unknown" if something could not be learned. */
type Whole = 'up' | 'down' | 'unknown'
const EXIT_CODES: Readonly<Record<Whole, number>> = { up: 0, down: 1, unknown: 6 }

interface Unit {
  readonly name: string
  readonly state: string
}

export function showStatus({ state_dir }: Config, args: readonly string[]): void {
  if (args.some((arg) => arg !== JSON_OPTION))
    throw new CommandError(`status takes ${JSON_OPTION} and nothing else.`, 2)
  if (!isRoot() && (!existsSync(state_dir) || statSync(state_dir).uid !== process.getuid?.())) needsRoot('status')
  const units = [HELPER_UNIT, WEB_UNIT].map((name): Unit => ({ name, state: unitState(name) }))
  const overview = existsSync(state_dir)
    ? (JSON.parse(outputOfOwner(state_dir, ['overview'])) as Overview)
    : {
        health: null,
        tunnels: null,
        routes: null,
        problem: `There is no store in ${state_dir}: the web daemon has never been started.`,
      }
  const state = stateOf(units, overview)
  if (args.includes(JSON_OPTION)) printText(`${JSON.stringify({ state, units, ...overview }, null, 2)}\n`)
  else show(units, overview)
  process.exitCode = EXIT_CODES[state]
}

function stateOf(units: readonly Unit[], { health, tunnels, routes }: Overview): Whole {
  const states = [
    ...units.map(({ state }) => UNIT_STATES[state] ?? 'down'),
    // A daemon that runs and does not answer is down as well.
    health === null ? 'down' : (HEALTH_STATES[health.status] ?? 'up'),
    ...[tunnels, routes].flatMap((items) => items?.map(countedAs) ?? ['unknown' as const]),
  ]
  return states.includes('down') ? 'down' : states.includes('unknown') ? 'unknown' : 'up'
}

const UNIT_STATES: Readonly<Record<string, Whole>> = {
  active: 'up',
  reloading: 'up',
  activating: 'unknown',
  unknown: 'unknown',
}
const HEALTH_STATES: Readonly<Record<string, Whole>> = { error: 'down', starting: 'unknown', unknown: 'unknown' }

/** What the operator does not want up or watched is no fault. */
const countedAs = ({ state, isUnwatched }: OverviewItem): Whole =>
  state === 'down' ? 'down' : state === 'unknown' && !isUnwatched ? 'unknown' : 'up'

function show(units: readonly Unit[], { health, tunnels, routes, problem }: Overview): void {
  for (const { name, state } of units) printLine(`${name.padEnd(22)} ${state}`)
  if (health) printLine(`Health of the panel: ${health.status}`)
  for (const { name, status, detail = '' } of health?.components ?? [])
    printLine(`  ${name.padEnd(14)} ${status.padEnd(9)} ${detail}`)
  if (health?.status === 'error') printLine(`A component has failed. See journalctl -u ${WEB_UNIT} -u ${HELPER_UNIT}`)
  if (problem !== '') printLine(problem)
  showItems('Tunnels', tunnels)
  showItems('Relay rules', routes)
}

function showItems(title: string, items: readonly OverviewItem[] | null): void {
  if (items === null) return void printLine(`${title}: not known`)
  const up = items.filter(({ state }) => state === 'up' || state === 'degraded').length
  printLine(items.length === 0 ? `${title}: none` : `${title}: ${up} of ${items.length} up`)
  const ids = Math.max(...items.map(({ id }) => String(id).length))
  const names = Math.max(...items.map(({ name }) => widthOf(name)))
  for (const { id, name, state, why } of items)
    printLine(
      `  ${String(id).padStart(ids)}  ${name}${' '.repeat(names - widthOf(name))}  ${state.padEnd(8)}  ${why}`.trimEnd(),
    )
}
