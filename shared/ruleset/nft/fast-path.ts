// The part of our table that carries established flows past all chains (decisions.md, F33). It is there only where a
// rule is on the fast path.
import { hex, RULE_MASK, ruleMark } from '../mark.ts'
import { NOT_ANSWERED } from './answers.ts'
import { hooked } from './hooks.ts'
import { newSet, type Table, type TableSet } from './table.ts'

export const FLOWTABLE = 'relay_flows'
const HOOK = 'hook ingress priority 0;'
const RULE = `ct mark & ${hex(RULE_MASK)}`

/**
 * The flowtable. Its devices follow the host, and are no part of the rules (root-helper/kernel/nft/flow-devices.ts).
 */
export const flowtable: TableSet = {
  kind: 'flowtable',
  declaration: `${HOOK} counter;`,
  isInterval: false,
  elements: null,
}

/**
 * Connection tracking counts every packet of a flow of the fast path. Our counters count those among them that the
 * chains let pass, as of any flow; so what the chains saw at all is counted once more, to be taken off: `twice`.
 */
export function addFastPath({ sets, chains }: Table): void {
  sets.set('relay_fast', newSet('set', 'mark'))
  sets.set('relay_twice', newSet('map', 'mark . ct_dir : counter'))
  sets.set(FLOWTABLE, flowtable)
  // Behind foreign filters, like the accounting. What is answered through a tunnel keeps to the chains (answers.ts).
  chains.set('fast_path', {
    declaration: hooked('filter', 'forward', 9),
    rules: [`ct state established ${RULE} == @relay_fast ${NOT_ANSWERED} flow add @${FLOWTABLE}`],
  })
  // The mark is set behind these two, so they see all packets but the first. Errors are no packets of the flow to
  // connection tracking.
  const twice = ['tcp', 'udp'].map(
    (name) => `meta l4proto ${name} counter name ${RULE} . ct direction map @relay_twice`,
  )
  const arriving = twice.map((rule) => `iif != "lo" ${rule}`)
  chains.set('twice_in', { declaration: hooked('filter', 'prerouting', -101), rules: arriving })
  chains.set('twice_out', { declaration: hooked('filter', 'output', -101), rules: twice })
  // The first is counted where nothing is left that stops it: a flow that never came to be is in no table.
  chains.set('twice_first', { declaration: hooked('nat', 'postrouting', 99), rules: twice })
  chains.set('twice_here', { declaration: hooked('nat', 'input', 99), rules: twice })
}

/** `mark` is that of its new flows. Those that began before have another one, and stay with our counters alone. */
export function takeFastPath({ sets, counters }: Table, id: number, mark: string): void {
  sets.get('relay_fast')?.elements?.set(mark, '')
  for (const [way, direction] of [
    ['tx', 'original'],
    ['rx', 'reply'],
  ]) {
    counters.add(`twice_${id}_${way}`)
    sets.get('relay_account')?.elements?.set(`${mark} . ${direction}`, `rule_${id}_${way}`)
    sets.get('relay_twice')?.elements?.set(`${mark} . ${direction}`, `twice_${id}_${way}`)
  }
}

/** Whether the rule is on it. */
export const isFastIn = ({ sets }: Table, id: number): boolean =>
  sets.get('relay_fast')?.elements?.has(hex(ruleMark(id, 0, true))) ?? false
