// What is found to drop a relay, as one line of text.
import type { ForeignFound, ForeignRule } from '@panel/shared/foreign/model.ts'
import { findRelayBlocks, type RelayBlock } from '@panel/shared/foreign/relay-block.ts'
import type { Surroundings } from '@panel/shared/foreign/relay-packet.ts'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { exampleRule } from './example-rule.ts'

export const AROUND: Surroundings = { own_addresses: ['192.0.2.1'], in_interface: 'eth0', out_interface: 'gre-a-1' }

export const relay = (fields: Partial<RelayRule> = {}): RelayRule =>
  exampleRule({
    protocol: 'tcp',
    bind_address: '192.0.2.1',
    bind_port: 443,
    bind_port_range_end: null,
    bind_interface: null,
    destinations: [{ address: '10.9.0.2', port: 8443, port_range_end: null, weight: 1, ...IN_ROTATION }],
    ...fields,
  })
export const relayTo = (address: string, first: number, protocol: RelayRule['protocol'] = 'tcp'): RelayRule =>
  relay({ protocol, destinations: [{ address, port: first, port_range_end: null, weight: 1, ...IN_ROTATION }] })
export const blockOf = (...args: Parameters<typeof findRelayBlocks>): RelayBlock | null =>
  findRelayBlocks(...args)[0] ?? null
export function verdict(foreign: ForeignFound, rule = relay(), around = AROUND): string {
  const block = blockOf(rule, foreign, around)
  return block === null
    ? 'clear'
    : `${block.is_certain ? 'sure' : 'unsure'}: ${block.table}, ${block.chain}: ${block.text}`
}

/** What is read of a rule, as one line: conditions, verdict, effects, and "?" if something decides beside them. */
export function reading({
  branches,
  effects,
  is_whole,
}: Pick<ForeignRule, 'branches' | 'effects' | 'is_whole'>): string {
  const lines = branches.map(({ conditions, verdict: end, target }) =>
    [
      ...conditions.map(({ field, is_not, values }) => `${field}${is_not ? '!' : ''}=${values.join()}`),
      ...(target === '' ? [end] : [end, target]),
    ].join(' '),
  )
  return [lines.join(' | '), ...effects.map((effect) => `+${effect}`), ...(is_whole ? [] : ['?'])].join(' ')
}
