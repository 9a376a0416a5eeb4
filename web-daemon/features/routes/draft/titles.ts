// The title of a rule: given, generated from what the rule does, or that of a copy. No two rules share one
// (decisions.md, F2).
import { MAX_TITLE } from '@panel/shared/api/routes/fields.ts'
import type { ReadDb } from '../../../platform/context.ts'
import { portsOf, spelledEnd, spelledPorts } from '../ports.ts'
import { protocolOf, type NewRoute } from '../record.ts'
import { idOfTitle } from '../store.ts'
import type { DraftContext } from './context.ts'

export function checkTitle({ body, problems, stored, titleOwner }: DraftContext): void {
  if (titleOwner === null || titleOwner === stored?.route_rule_id) return
  problems.add(
    'route_rule_title',
    'ROUTE_TITLE_CONFLICT',
    `Another rule (${titleOwner}) is called ${body.route_rule_title ?? ''} already.`,
    { route_rule_id: titleOwner },
  )
}

type Described = Pick<NewRoute, 'route_protocol_id' | 'bind_port' | 'bind_port_range_end' | 'destinations'>

export function titleFor(
  db: ReadDb,
  { route_protocol_id, bind_port, bind_port_range_end, destinations }: Described,
): Promise<string> {
  const protocol = protocolOf(route_protocol_id)
  const [first] = destinations
  const there = first ? spelledEnd(first.address, portsOf(first.port, first.port_range_end)) : ''
  const title = `${protocol === 'both' ? 'tcp+udp' : protocol} ${spelledPorts(portsOf(bind_port, bind_port_range_end))} → ${there}`
  return freeTitle(db, (at) => (at === 1 ? title : `${title} (${at})`))
}

export function titleOfCopy(db: ReadDb, title: string): Promise<string> {
  return freeTitle(db, (at) => withEnding(title, at === 1 ? ' (copy)' : ` (copy ${at})`))
}

/** A long title is cut to make room for the ending. */
const withEnding = (title: string, ending: string): string =>
  `${[...title].slice(0, MAX_TITLE - ending.length).join('')}${ending}`

async function freeTitle(db: ReadDb, candidate: (at: number) => string): Promise<string> {
  for (let at = 1; ; at += 1) if ((await idOfTitle(db, candidate(at))) === null) return candidate(at)
}
