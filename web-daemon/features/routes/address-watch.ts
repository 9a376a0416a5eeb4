// Has rules follow the addresses of the interfaces that they name, as the host changes (decisions.md, F50). Each change
// is what the operator would send: drafted, carried out, read back, and only then stored.
import type { Logger } from 'pino'
import type { UpdateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import { attempt } from '../../change/attempt.ts'
import type { PanelAction } from '../../change/remediate.ts'
import { AuditNote } from '../../platform/audit-note.ts'
import type { CommandContext } from '../../platform/context.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { Problems } from '../../platform/http/problems.ts'
import { addressOf } from '../../platform/network/interface-address.ts'
import type { Accounting } from './accounting.ts'
import { FOLLOWING, type FollowingField } from './draft/of-interface.ts'
import { hostFacts, type HostFacts } from './facts.ts'
import { WITHOUT_PLAN } from './foresee-causes.ts'
import { familyOf, type RouteRecord } from './record.ts'
import { followingRoutes, routesOf } from './store.ts'
import { amend } from './update.ts'

interface AddressDeps extends Omit<CommandContext, 'note'> {
  readonly bus: Bus
  readonly logger: Logger
  readonly record: (doing: PanelAction) => Promise<void>
  readonly panelPorts: () => readonly number[]
}

/** What a rule was last refused, so that it is reported once. */
type Refused = Map<number, string>

export function keepAddresses(deps: AddressDeps, traffic: Accounting): void {
  const refused: Refused = new Map()
  const look = (isOtherHost: boolean): void =>
    void follow(deps, traffic, refused, isOtherHost).catch((err: unknown) =>
      deps.logger.warn({ err }, 'the addresses of the interfaces that rules follow were not read'),
    )
  deps.bus.subscribe('host.changed', ({ events }) => {
    if (events.some(({ subject }) => ['lost', 'address', 'link'].includes(subject))) look(true)
  })
  // A change that is taken back leaves the address that the rule had when it was made.
  deps.bus.subscribe('routes.changed', () => look(false))
}

async function follow(deps: AddressDeps, traffic: Accounting, refused: Refused, isOtherHost: boolean): Promise<void> {
  const following = await followingRoutes(deps.db)
  if (following.length === 0) return
  const facts = await hostFacts(deps.request, false)
  for (const record of following) {
    const { route_rule_id } = record
    const wanted = inWords(otherNow(record, facts))
    // An attempt that fails is a change of rules, too.
    if (wanted === '' || (!isOtherHost && refused.get(route_rule_id) === wanted)) continue
    await take(deps, traffic, { route_rule_id, facts, refused })
  }
}

interface Other {
  readonly field: FollowingField
  readonly name: string
  readonly address: string
}

/** What the rule has to take. */
const otherNow = (record: RouteRecord, { interfaces }: Pick<HostFacts, 'interfaces'>): Other[] =>
  (Object.keys(FOLLOWING) as FollowingField[]).flatMap((field) => {
    const name = record[FOLLOWING[field]]
    const there = name === null ? undefined : interfaces.get(name)
    const address = there ? addressOf(there, familyOf(record), record[field]) : null
    return name === null || address === null || address === record[field] ? [] : [{ field, name, address }]
  })

const inWords = (others: readonly Other[]): string =>
  others.map(({ field, name, address }) => `${field}: ${name} has ${address}`).join('; ')

const asRequest = (others: readonly Other[]): UpdateRouteBody =>
  Object.fromEntries(
    others.flatMap(({ field, name, address }) => [
      [field, address],
      [FOLLOWING[field], name],
    ]),
  )

interface Taking {
  readonly route_rule_id: number
  readonly facts: HostFacts
  readonly refused: Refused
}

async function take(
  { bus: _bus, logger, record: writeEntry, panelPorts, ...context }: AddressDeps,
  traffic: Accounting,
  { route_rule_id, facts, refused }: Taking,
): Promise<void> {
  const note = new AuditNote()
  note.target('route', route_rule_id)
  let what = ''
  const { failure, refusal, duration_ms } = await attempt(() =>
    context.inTurn(async () => {
      const [stored] = await routesOf(context.db, [route_rule_id])
      const others = stored ? otherNow(stored, facts) : []
      what = inWords(others)
      if (!stored || others.length === 0) return
      const request = { body: asRequest(others), problems: new Problems(), panelPorts }
      await amend({ ...context, note }, { traffic, foreseeCauses: WITHOUT_PLAN }, stored, request)
    }),
  )
  if (what === '' || (refusal && refused.get(route_rule_id) === what)) return
  if (!refusal) refused.delete(route_rule_id)
  else {
    refused.set(route_rule_id, what)
    logger.warn({ err: failure, route_rule_id }, 'a rule does not follow the address of its interface')
  }
  note.operation(what)
  await writeEntry({ action: 'RouteUpdate', note, refusal, duration_ms })
}
