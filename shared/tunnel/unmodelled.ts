// Features of a link that a TunnelState cannot hold, in the words of `ip`, and what would lose them. Pure.
import type { TunnelStep } from './step.ts'

/** Those of the outer header, by how they begin. The message that changes it has no attribute for them. */
const OF_HEADER = [
  'external',
  'encap',
  'local any',
  'remote any',
  'remote multicast',
  'flowlabel inherit',
  'fwmark inherit',
  'dscp copy',
  'mip6',
  'allow-localremote',
  'link-netnsid',
  'dev',
]

const isOfHeader = (feature: string): boolean => OF_HEADER.some((one) => `${feature} `.startsWith(`${one} `))

/** What the steps would take from a link that has these features. */
export function lostFeatures(unmodelled: readonly string[], steps: readonly Pick<TunnelStep, 'kind'>[]): string[] {
  const has = (kind: TunnelStep['kind']): boolean => steps.some((step) => step.kind === kind)
  if (has('link_create')) return [...unmodelled]
  return has('link_set') ? unmodelled.filter(isOfHeader) : []
}
