// The title of a rule: given, generated from what the rule does, or that of a copy. No two rules share one
// (decisions.md, F2).
import { TITLE_MAX } from '@panel/shared/api/base/fields.ts'
import { message } from '@panel/shared/messages/message.ts'
import { ruleNamed } from '@panel/shared/messages/named.ts'
import type { ReadDb } from '../../../platform/context.ts'
import { portsOf, spelledEnd, spelledPorts } from '../ports.ts'
import { protocolOf, type NewRoute } from '../record.ts'
import { idOfTitle } from '../store.ts'
import type { DraftContext } from './context.ts'

type Titled = Pick<DraftContext, 'body' | 'problems' | 'stored' | 'titleOwner'>

export function checkTitle({ body, problems, stored, titleOwner }: Titled): void {
  if (titleOwner === null || titleOwner === stored?.route_rule_id) return
  problems.add(
    'route_rule_title',
    'ROUTE_TITLE_CONFLICT',
    message('route.title_taken', {
      route_rule_id: titleOwner,
      rule: ruleNamed({ route_rule_id: titleOwner, route_rule_title: body.route_rule_title ?? '' }),
    }),
    { route_rule_id: titleOwner },
  )
}

type Described = Pick<NewRoute, 'route_protocol_id' | 'bind_port' | 'bind_port_range_end' | 'destinations'>

export function titleFor(db: ReadDb, rule: Described): Promise<string> {
  return freeTitle(db, numbered(describeRule(rule)))
}

/** A title that nobody gave goes with the rule: where what it says of the rule has changed, it is made again. */
export async function titleAfter(
  db: ReadDb,
  stored: Described & Pick<NewRoute, 'route_rule_title'>,
  wanted: Described,
): Promise<string> {
  const [before, after] = [describeRule(stored), describeRule(wanted)]
  const { route_rule_title: title } = stored
  const isGenerated =
    title === before || (title.startsWith(`${before} (`) && /^\(\d+\)$/.test(title.slice(before.length + 1)))
  return before !== after && isGenerated ? freeTitle(db, numbered(after)) : title
}

const numbered =
  (title: string) =>
  (at: number): string =>
    at === 1 ? title : `${title} (${at})`

function describeRule({ route_protocol_id, bind_port, bind_port_range_end, destinations }: Described): string {
  const protocol = protocolOf(route_protocol_id)
  const [first] = destinations
  const there = first ? spelledEnd(first.hostname ?? first.address, portsOf(first.port, first.port_range_end)) : ''
  return `${protocol === 'both' ? 'tcp+udp' : protocol} ${spelledPorts(portsOf(bind_port, bind_port_range_end))} → ${there}`
}

export function titleOfCopy(db: ReadDb, title: string): Promise<string> {
  return freeTitle(db, (at) => withEnding(title, at === 1 ? ' (copy)' : ` (copy ${at})`))
}

/** A long title is cut to make room for the ending. */
const withEnding = (title: string, ending: string): string =>
  `${[...title].slice(0, TITLE_MAX - ending.length).join('')}${ending}`

async function freeTitle(db: ReadDb, candidate: (at: number) => string): Promise<string> {
  for (let at = 1; ; at += 1) if ((await idOfTitle(db, candidate(at))) === null) return candidate(at)
}
