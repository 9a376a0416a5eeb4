// From what is to what was: the requests that lead from one state of objects to another, in an order in which each finds
// what it refers to.
import type { RestoreStep, RevisionItem, RevisionKind } from '@panel/shared/api/revisions.ts'
import type { Body } from '../../platform/http/validate.ts'
import { fieldChanges, whatOf, type Pair } from './difference.ts'

export interface Step {
  readonly items: readonly RevisionItem[]
  readonly method: RestoreStep['method']
  /** Below the base of the API. */
  readonly path: string
  readonly body: Body
  /** The id that what is made gets again. */
  readonly reviving?: number
  /** The whole object, of a step that changes one. */
  readonly wanted?: Body
}

/** Names a pool, and so comes after the pools. */
const NAMES_A_POOL = 'addressing.default_pool_id'

/** `pairs`: what differs, from what is to what shall be. */
export function stepsFor(pairs: readonly Pair[]): Step[] {
  const settings = ofKind(pairs, 'setting')
  const isOfPools = ({ target_key }: Pair): boolean => target_key === NAMES_A_POOL
  return [
    ...settingStep(settings.filter((one) => !isOfPools(one))),
    ...made(pairs, 'pool'),
    ...settingStep(settings.filter(isOfPools)),
    ...made(pairs, 'tunnel'),
    ...made(pairs, 'network'),
    // A rule that goes leaves its port to another one.
    ...gone(pairs, 'route'),
    ...made(pairs, 'route'),
    ...gone(pairs, 'network'),
    ...gone(pairs, 'tunnel'),
    ...gone(pairs, 'pool'),
  ]
}

const ofKind = (pairs: readonly Pair[], kind: RevisionKind): Pair[] => pairs.filter((one) => one.kind === kind)

/** All at once, since the bounds of some depend on others. */
function settingStep(pairs: readonly Pair[]): Step[] {
  if (pairs.length === 0) return []
  const body = Object.fromEntries(pairs.map(({ target_key, after }) => [target_key, after?.['value']]))
  return [{ items: pairs.map(itemOf), method: 'PUT', path: '/settings', body }]
}

const PATHS: Readonly<Record<Exclude<RevisionKind, 'setting'>, string>> = {
  pool: '/pools',
  tunnel: '/tunnels',
  network: '/networks',
  route: '/routes',
}

const made = (pairs: readonly Pair[], kind: keyof typeof PATHS): Step[] =>
  ofKind(pairs, kind).flatMap((pair): Step[] => {
    const { target_key, before, after } = pair
    const items = [itemOf(pair)]
    if (!after) return []
    if (!before) return [{ items, method: 'POST', path: PATHS[kind], body: after, reviving: Number(target_key) }]
    return [{ items, path: `${PATHS[kind]}/${target_key}`, wanted: after, ...changing(kind, pair, after) }]
  })

/** A pool is replaced whole. What is changed of a tunnel may well have to be made again. */
function changing(kind: keyof typeof PATHS, { before }: Pair, after: Body): Pick<Step, 'method' | 'body'> {
  if (kind === 'pool') return { method: 'PUT', body: after }
  const changes = fieldChanges(before ?? {}, after).map(({ field, after: value }) => [field, value])
  const confirmed = kind === 'tunnel' ? { confirm_recreate: true } : {}
  return { method: 'PATCH', body: { ...Object.fromEntries(changes), ...confirmed } }
}

const gone = (pairs: readonly Pair[], kind: keyof typeof PATHS): Step[] =>
  ofKind(pairs, kind)
    .filter(({ after }) => !after)
    .map((pair) => ({ items: [itemOf(pair)], method: 'DELETE', path: `${PATHS[kind]}/${pair.target_key}`, body: {} }))

const itemOf = ({ kind, target_key, title, before, after }: Pair): RevisionItem => ({
  kind,
  target_key,
  title,
  what: whatOf(before !== null, after !== null),
})

/**
 * What makes room where rules wait for one another, as two that are to change their ports or titles for each other's:
 * the rule stands aside until its own step, which then says what it was to say and what this has changed. Null of
 * anything else.
 */
export function standAside(step: Step): { readonly aside: Step; readonly rest: Step } | null {
  const { items, method, body, wanted } = step
  const [item] = items
  if (method !== 'PATCH' || item?.kind !== 'route' || !wanted) return null
  const { is_enabled, route_rule_title } = wanted
  return {
    aside: { ...step, body: { is_enabled: false, route_rule_title: `restore ${item.target_key}` } },
    rest: { ...step, body: { ...body, is_enabled, route_rule_title } },
  }
}
