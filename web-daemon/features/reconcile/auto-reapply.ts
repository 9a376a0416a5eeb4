// Puts right what was changed behind the panel's back, without being asked, where the operator has turned that on (decisions.md, S15: system.auto_reapply_on_drift).
import type { Logger } from 'pino'
import type { AuditAction } from '@panel/shared/api/audit/actions.ts'
import { AuditNote } from '../../platform/http/audit-note.ts'
import { recordOwn } from '../audit/record.ts'
import type { CommandContext } from '../../platform/context.ts'
import { asRefusal } from '../../platform/http/answer.ts'
import type { Refusal } from '../../platform/http/refusal.ts'
import { SlidingWindow } from '../../platform/limits/sliding-window.ts'
import { reapplyByItself as reapplyRules } from '../routes/life.ts'
import type { Traffic } from '../routes/traffic/traffic.ts'
import { reapplyByItself as reapplyTunnel } from '../tunnels/life.ts'
import type { Item } from './report.ts'

/** Whoever changes a thing again and again is not to be fought, and what fails is not to be tried for ever. */
const MOST = { times: 3, within_ms: 10 * 60_000 } as const
/** As a host boots, its own units still make its tunnels, and other software loads its rules. */
export const GRACE_MS = 30_000

type Parts = Omit<CommandContext, 'note'>

/** Call it outside of `inTurn`, with what a pass has just seen. It never throws. */
export function makeAutoReapply(context: Parts, logger: Logger): (items: readonly Item[]) => Promise<void> {
  const care = new Care(context)
  return async (items) => {
    if (!care.isWanted) return
    for (const { tunnel_id, interface_name, status } of items) {
      if (tunnel_id === null || (status !== 'Drifted' && status !== 'Missing')) continue
      if (!care.mayTry(tunnel_id)) {
        logger.warn(
          { interface_name, status },
          'reconcile: a tunnel does not stay as it is stored, and is left alone for now',
        )
        continue
      }
      await putRight(
        context,
        logger,
        { action: 'TunnelReapply', what: `the tunnel was ${status}`, tunnel_id },
        async (own) => void (await reapplyTunnel(own, tunnel_id)),
      )
    }
  }
}

/** Likewise for relay rules, which go back in one change, however many they are. */
export function makeRuleReapply(
  context: Parts,
  traffic: Traffic,
  logger: Logger,
): (drifted: readonly number[]) => Promise<void> {
  const care = new Care(context)
  return async (drifted) => {
    if (drifted.length === 0 || !care.isWanted) return
    const due = drifted.filter((id) => care.mayTry(id))
    if (due.length < drifted.length)
      logger.warn(
        { rules: drifted.length - due.length },
        'reconcile: relay rules do not stay as they are stored, and are left alone for now',
      )
    if (due.length === 0) return
    const what =
      due.length === 1
        ? 'the kernel did not hold the rule as it is stored'
        : `the kernel did not hold ${due.length} rules as they are stored`
    await putRight(context, logger, { action: 'RouteReapply', what, route_rule_ids: due.slice(0, TOLD_MAX) }, (own) => {
      const [only] = due
      if (due.length === 1 && only !== undefined) own.note.target('route', only)
      return reapplyRules(own, traffic, due)
    })
  }
}

const TOLD_MAX = 20

/** Whether anything is to be put right now, and how often a thing was. */
class Care {
  readonly #context: Parts
  readonly #started: number
  readonly #tries: SlidingWindow

  constructor(context: Parts) {
    this.#context = context
    this.#started = context.now().getTime()
    this.#tries = new SlidingWindow(MOST.times, MOST.within_ms, context.now)
  }

  get isWanted(): boolean {
    return (
      this.#context.settings.get('system.auto_reapply_on_drift') &&
      this.#context.now().getTime() >= this.#started + GRACE_MS
    )
  }

  /** Counts as a try where it is one. */
  mayTry(id: number): boolean {
    if (this.#tries.secondsToWait(`${id}`) > 0) return false
    this.#tries.add(`${id}`)
    return true
  }
}

interface Told extends Record<string, unknown> {
  readonly action: AuditAction
  readonly what: string
}

async function putRight(
  context: Parts,
  logger: Logger,
  { action, what, ...about }: Told,
  reapply: (own: CommandContext) => Promise<void>,
): Promise<void> {
  const note = new AuditNote()
  note.operation(`Reapplied by the panel itself (system.auto_reapply_on_drift): ${what}`)
  const began = performance.now()
  let refusal: Refusal | null = null
  try {
    await reapply({ ...context, note })
  } catch (thrown) {
    refusal = asRefusal(thrown)
    logger.warn(
      { ...about, code: refusal.code, err: thrown },
      "reconcile: what was changed behind the panel's back could not be put right",
    )
  }
  // Deleted since the pass looked.
  if (refusal?.code === 'NOT_FOUND') return
  const duration_ms = Math.round(performance.now() - began)
  await recordOwn(context, { action, note, refusal, duration_ms }).catch((err: unknown) =>
    logger.error({ ...about, err }, 'no audit entry could be written'),
  )
}
