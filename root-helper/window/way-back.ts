// Where a window takes the host back to, for a caller that only looks.
import { unfolded, type Fold, type Parts } from '@panel/shared/change/fold.ts'
import type { WindowWayBack } from '@panel/shared/window/model.ts'
import { byId, page } from '../nouns/ruleset/page.ts'
import { forwardingParts, networkParts, ruleParts, tunnelParts } from './parts.ts'
import type { Folds } from './record.ts'

export function wayBackOf(folds: Folds, from_id: number): WindowWayBack {
  const before = <S, P>(noun: string, parts: Parts<S, P>): S | null =>
    unfolded((folds[noun] ?? new Map()) as Fold<P>, parts).before
  const { items, next_id } = page([...(before('ruleset', ruleParts)?.rules ?? [])].sort(byId), { from_id })
  if (from_id > 0) return { tunnels: [], networks: [], rules: items, forwarding: null, next_id }
  const forwarding = before('forwarding', forwardingParts)
  const saved = forwarding?.saved ?? null
  return {
    tunnels: (before('tunnel', tunnelParts) ?? []).map(({ link, ...rest }) => ({
      ...rest,
      link: link && { is_up: link.is_up, config: link.config },
    })),
    networks: [...(before('network', networkParts) ?? [])],
    rules: items,
    forwarding: forwarding && {
      live: forwarding.live,
      conntrack_max: forwarding.conntrack_max,
      saved: saved && { switches: saved.switches, previous: saved.previous, conntrack_max: saved.conntrack_max },
    },
    next_id,
  }
}
