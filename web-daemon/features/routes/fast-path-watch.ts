// Takes rules to the fast path and off it as the setting, or the host, changes (decisions.md, F33).
import type { Logger } from 'pino'
import type { FastPathState } from '@panel/shared/api/routes/fast-path-fields.ts'
import { sameState } from '@panel/shared/change/change.ts'
import { attempt } from '../../change/attempt.ts'
import type { PanelAction } from '../../change/remediate.ts'
import { AuditNote } from '../../platform/audit-note.ts'
import type { CommandContext } from '../../platform/context.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { reapplyRules } from './change.ts'
import { fastPathState } from './fast-path.ts'
import { ruleOf, type RouteRecord } from './record.ts'
import { allRoutes } from './store.ts'
import { setFastPath } from './store-write.ts'
import type { Accounting } from './accounting.ts'

const SETTING = 'routes.fast_path'

interface FastPathDeps extends Omit<CommandContext, 'note'> {
  readonly bus: Bus
  readonly logger: Logger
  readonly record: (doing: PanelAction) => Promise<void>
}

export function keepFastPath(deps: FastPathDeps, traffic: Accounting): void {
  const { bus, logger } = deps
  const follow = (): void =>
    void decide(deps, traffic).catch((err: unknown) =>
      logger.warn({ err }, 'the fast path of the relay rules is as it was'),
    )
  bus.subscribe('host.changed', ({ events }) => {
    if (events.some(({ subject }) => subject === 'lost')) follow()
  })
  bus.subscribe('settings.changed', ({ keys }) => {
    if (keys.includes(SETTING)) follow()
  })
}

const decide = (deps: FastPathDeps, traffic: Accounting): Promise<void> =>
  deps.inTurn(async () => {
    const stored = await allRoutes(deps.db)
    const changed = await otherwiseNow(deps, stored)
    if (changed.length === 0) return
    await deps.db.transaction().execute((transaction) => setFastPath(transaction, changed))
    const before = new Map(stored.map((record) => [record.route_rule_id, record]))
    const concerned = changed.filter(
      (record) => !sameState(ruleOf(record), ruleOf(before.get(record.route_rule_id) ?? record)),
    )
    if (concerned.length > 0) await apply(deps, traffic, concerned)
  })

/** The rules whose state has changed. The host is queried only if some rule is to be on the fast path. */
async function otherwiseNow(
  { request, settings }: FastPathDeps,
  stored: readonly RouteRecord[],
): Promise<RouteRecord[]> {
  const isIdle = stored.every(
    ({ is_fast_path, fast_path_state }) =>
      fast_path_state === 'off' && fastPathState(is_fast_path, settings, { is_able: true, detail: '' }) === 'off',
  )
  if (isIdle) return []
  const { rule_backend } = await request('host.probe', { parts: ['rule_backend'] })
  if (!rule_backend) throw new Error('The helper left out a part of the host that was requested')
  const stateOf = ({ is_fast_path }: RouteRecord): FastPathState =>
    fastPathState(is_fast_path, settings, rule_backend.fast_path)
  return stored.flatMap((record) =>
    stateOf(record) === record.fast_path_state ? [] : [{ ...record, fast_path_state: stateOf(record) }],
  )
}

async function apply(
  { bus: _bus, logger, record, ...context }: FastPathDeps,
  traffic: Accounting,
  rules: readonly RouteRecord[],
): Promise<void> {
  const note = new AuditNote()
  note.operation(`The fast path of ${rules.length} rules changed (${SETTING})`)
  const { failure, refusal, duration_ms } = await attempt(() => reapplyRules({ ...context, note }, traffic, rules))
  if (refusal) logger.warn({ err: failure }, 'rules were not taken to the fast path, or off it')
  await record({ action: 'RouteReapply', note, refusal, duration_ms })
}
