// What an impact comes to, in a few sentences.
import type { Impact } from '../api/impact/impact.ts'
import { message, sentences, type Message } from '../messages/message.ts'
import { keptInterfaces, type Foreseen } from './foreseen.ts'
import type { LinkImpact } from './link.ts'

type ImpactWithoutSummary = Omit<Impact, 'summary' | 'summary_message'>

export function summaryOf(
  impact: ImpactWithoutSummary,
  links: readonly LinkImpact[],
  foreseen: Pick<Foreseen, 'changes' | 'unforeseen'> & {
    readonly older: number
    /** Those that have no route any more. */
    readonly networks: readonly string[]
  },
): Message {
  const { unforeseen = 0 } = foreseen
  const kept = keptInterfaces(foreseen)
  const { connections, own_access } = impact
  return sentences(
    interruptionMessage(impact, links, foreseen.networks),
    connections.is_known ? null : message('impact.unknown', { why: connections.detail_message }),
    counted('impact.end', connections.end),
    connections.is_known ? counted('impact.older', foreseen.older) : null,
    counted('impact.at_risk', connections.at_risk),
    routesMessage(impact.routes),
    kept.length === 0 ? null : message('impact.keeps_advertised', { names: kept.join(', ') }),
    unforeseen === 0 ? null : message('impact.unforeseen', { count: unforeseen }),
    own_access.is_affected || !own_access.is_known ? own_access.detail_message : null,
  )
}

function interruptionMessage(
  { interruption, interruption_ms, rules }: ImpactWithoutSummary,
  links: readonly LinkImpact[],
  networks: readonly string[],
): Message {
  const named = (...effects: LinkImpact['effect'][]): string =>
    links.flatMap(({ effect, interface_name }) => (effects.includes(effect) ? [interface_name] : [])).join(', ')
  if (interruption === 'none') return message('impact.none')
  if (interruption === 'new_only') return message('impact.new_only')
  if (interruption === 'lasting') {
    const names = named('gone')
    return sentences(
      rules.some(({ why }) => why === 'forwarding') ? message('impact.forwarding_off') : null,
      names === '' ? null : message('impact.lasting', { names }),
      networks.length === 0 ? null : message('impact.network_lasting', { networks: networks.join(', ') }),
    )
  }
  const names = named('header', 'bounced', 'remade', 'addresses')
  const isForBothEnds = links.some((link) => link.isForBothEnds)
  return sentences(
    interruption_ms && !isForBothEnds
      ? message('impact.brief_measured', { names, ms: interruption_ms.typical })
      : message('impact.brief', { names }),
    isForBothEnds ? message('impact.far_end_follows') : null,
  )
}

const counted = (id: 'impact.end' | 'impact.older' | 'impact.at_risk', count: number | null): Message | null =>
  count === null || count === 0 ? null : message(id, { count })

function routesMessage(routes: ImpactWithoutSummary['routes']): Message | null {
  if (routes === null) return message('impact.routes_unknown')
  const lost = routes.filter(({ fate }) => fate === 'lost').map(({ destination }) => destination)
  return lost.length === 0 ? null : message('impact.routes_lost', { routes: lost.join(', ') })
}
