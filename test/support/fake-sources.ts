// By which address the fake host sends through a link: the only one of its family.
import type { LinkState } from '@panel/shared/tunnel/model.ts'
import type { LinkSource } from '@panel/root-helper/kernel/relay-facilities.ts'

export const fakeSources = ([interface_name, { state }]: readonly [
  string,
  { readonly state: LinkState | null },
]): LinkSource[] =>
  [false, true].flatMap((isIpv6) => {
    const all = (state?.config.addresses ?? []).filter(({ address }) => address.includes(':') === isIpv6)
    return all.length === 1 ? all.map(({ address }) => ({ interface_name, address })) : []
  })
