// Puts right what was changed behind the panel's back, without being asked, where the operator has turned that on (decisions.md, S15: system.auto_reapply_on_drift).
import type { Logger } from 'pino'
import { AuditNote } from '../audit/note.ts'
import { recordOwn } from '../audit/record.ts'
import type { CommandContext } from '../context.ts'
import { asRefusal } from '../http/answer.ts'
import type { Refusal } from '../http/refusal.ts'
import { SlidingWindow } from '../limit/sliding-window.ts'
import { reapplyByItself } from '../tunnels/life.ts'
import type { Item } from './report.ts'

/** Whoever changes a tunnel again and again is not to be fought, and what fails is not to be tried for ever. */
const MOST = { times: 3, within_ms: 10 * 60_000 } as const
/** As a host boots, its own units still make their tunnels. */
export const GRACE_MS = 30_000

type Parts = Omit<CommandContext, 'note'>

/** Call it outside of `inTurn`, with what a pass has just seen. It never throws. */
export function makeAutoReapply(context: Parts, logger: Logger): (items: readonly Item[]) => Promise<void> {
  const tries = new SlidingWindow(MOST.times, MOST.within_ms, context.now)
  const started = context.now().getTime()
  return async (items) => {
    if (!context.settings.get('system.auto_reapply_on_drift') || context.now().getTime() < started + GRACE_MS) return
    for (const { tunnel_id, interface_name, status } of items) {
      if (tunnel_id === null || (status !== 'Drifted' && status !== 'Missing')) continue
      if (tries.secondsToWait(`${tunnel_id}`) > 0) {
        logger.warn({ interface_name, status }, 'reconcile: a tunnel does not stay as it is stored, and is left alone for now')
        continue
      }
      tries.add(`${tunnel_id}`)
      await reapply(context, tunnel_id, status, logger)
    }
  }
}

async function reapply(context: Parts, tunnel_id: number, status: string, logger: Logger): Promise<void> {
  const note = new AuditNote()
  note.operation(`Reapplied by the panel itself (system.auto_reapply_on_drift): the tunnel was ${status}`)
  const began = performance.now()
  let refusal: Refusal | null = null
  try {
    await reapplyByItself({ ...context, note }, tunnel_id)
  } catch (thrown) {
    refusal = asRefusal(thrown)
    logger.warn({ tunnel_id, code: refusal.code, err: thrown }, 'reconcile: a tunnel could not be put right')
  }
  // Deleted since the pass looked.
  if (refusal?.code === 'NOT_FOUND') return
  const duration_ms = Math.round(performance.now() - began)
  await recordOwn(context, { action: 'TunnelReapply', note, refusal, duration_ms }).catch((err: unknown) => logger.error({ tunnel_id, err }, 'no audit entry could be written'))
}
