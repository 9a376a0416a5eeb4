// The endpoints of safe apply (reference.md, Safe apply).
import type { EndSafeApplyBody, SafeApplyAnswer, SafeApplyItem, SafeApplyWindow } from '@panel/shared/api/safe-apply.ts'
import { fromRoot, message, messageFields } from '@panel/shared/messages/message.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import type { WindowFound } from '@panel/shared/window/model.ts'
import type { CommandContext } from '../../platform/context.ts'
import { isHelperAway } from '../../platform/helper/away.ts'
import { command, created, ok, query, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { foreseeCancel } from './foresee-cancel.ts'
import { isOver } from './over.ts'
import { changedItems } from './store-followed.ts'
import { openerOf, underWay, type SafeApply } from './safe-apply.ts'
import { findLast, findOpen } from './store.ts'

const tag = 'system'
const scope = 'safe-apply'

export const safeApplyEndpoints = (safeApply: SafeApply, db: CommandContext['db']) => {
  const show = async (found: WindowFound, { connected_at }: Incoming): Promise<SafeApplyAnswer> => {
    const isNew = connected_at === null ? null : connected_at >= safeApply.changedAt
    return answerOf(db, found, { ...(await safeApply.reach()), is_this_connection_new: isNew })
  }
  const end =
    (as: 'confirmed' | 'cancelled') =>
    (_: unknown, incoming: Incoming<EndSafeApplyBody>): Promise<Answer<SafeApplyAnswer>> =>
      safeApply.named.whenNone(async () => {
        const { window_id } = incoming.body
        const found = await foundFor(safeApply)
        if (await isOver(db, found, window_id, as)) return ok(await show(found, incoming))
        if (as === 'confirmed') requireNewConnection(incoming, safeApply)
        return ok(await show(await safeApply[as === 'confirmed' ? 'confirm' : 'cancel'](window_id), incoming))
      })
  return [
    query(
      'GET /safe-apply',
      {
        tag,
        scope,
        summary:
          'The window in which changes wait for a confirmation, with what was changed in it, and how the last one ended.',
      },
      async ({ request }, incoming) => {
        const body = await show(await probe(request, db), incoming)
        // Each question asks whether a new connection can be made.
        return { ...ok(body), ...(body.window && { isLast: true }) }
      },
    ),
    command(
      'POST /safe-apply',
      {
        tag,
        scope,
        summary: 'Open a window: what is changed from now on is put back by itself, unless it is confirmed in time.',
        statuses: [201, 409],
        audit: 'SafeApplyOpen',
      },
      async ({ inTurn, settings }, incoming) => {
        const { body, session } = incoming
        const found = await inTurn(async () => {
          await requireNone(safeApply)
          return safeApply.open(
            body.seconds ?? settings.get('system.safe_apply_seconds'),
            openerOf(session),
            body.starts,
          )
        })
        return created(await show(found, incoming))
      },
    ),
    command(
      'POST /safe-apply/confirm',
      {
        tag,
        scope,
        summary: 'Confirm what was changed in the window. It takes a connection that was made after the last change.',
        statuses: [409],
        audit: 'SafeApplyConfirm',
      },
      end('confirmed'),
    ),
    command(
      'POST /safe-apply/cancel',
      {
        tag,
        scope,
        summary: 'Put back now what was changed in the window, on the host and in the store.',
        statuses: [409],
        audit: 'SafeApplyCancel',
        foresee: foreseeCancel(safeApply),
        endsWindow: true,
      },
      end('cancelled'),
    ),
    command(
      'POST /safe-apply/extend',
      {
        tag,
        scope,
        summary: 'Extend the window to so many seconds from now, and never more than an hour after the last change.',
        statuses: [409],
        audit: 'SafeApplyExtend',
      },
      async ({ inTurn }, incoming): Promise<Answer<SafeApplyAnswer>> =>
        inTurn(async () => {
          const { window_id, seconds } = incoming.body
          await isOver(db, await foundFor(safeApply), window_id, null)
          return ok(await show(await safeApply.extend(window_id, seconds), incoming))
        }),
    ),
  ]
}

/** Without its helper the panel opens no window, and knows of none that it has not seen open. */
async function probe(request: Reader, db: CommandContext['db']): Promise<WindowFound> {
  return request('window.probe', {}).catch(async (failure: unknown) => {
    if (!isHelperAway(failure) || (await findOpen(db))) throw failure
    return { window: null, ended: null }
  })
}

async function answerOf(
  db: CommandContext['db'],
  { window }: WindowFound,
  reached: Pick<SafeApplyWindow, 'confirm_by' | 'tunnels_not_up' | 'is_this_connection_new'>,
): Promise<SafeApplyAnswer> {
  const last = await findLast(db)
  const row = window && (await findOpen(db))
  if (!window || row?.window_id !== window.window_id) return { window: null, last }
  const { window_id, seconds, seconds_left, changes, is_waiting, state } = window
  const { opened_date: opened_at, username } = row
  const items = [...(await changedItems(db)), ...(window.is_forwarding_touched ? [FORWARDING] : [])]
  const about = {
    ...{ window_id, seconds, seconds_left, changes, is_waiting, state },
    ...messageFields('detail', fromRoot(window.detail)),
    remediation: [...window.remediation],
    remediation_messages: window.remediation.map(fromRoot),
  }
  return { window: { ...about, opened_at, username, items, ...reached }, last }
}

const FORWARDING: SafeApplyItem = { kind: 'forwarding', target_id: null, title: '', what: 'updated' }

async function requireNone(safeApply: SafeApply): Promise<void> {
  const { window } = await foundFor(safeApply)
  if (window) throw underWay(window)
}

/** The window of work that is put back as a whole is nobody's to end. */
async function foundFor(safeApply: SafeApply): Promise<WindowFound> {
  safeApply.exclusive.requireNone()
  return safeApply.follow()
}

/** A connection from before the change may outlive it although nobody could make a new one. */
function requireNewConnection({ connected_at }: Incoming, { changedAt }: SafeApply): void {
  if (connected_at !== null && connected_at < changedAt)
    throw new Refusal('SAFE_APPLY_SAME_CONNECTION', message('safe_apply.same_connection'), {
      headers: { Connection: 'close' },
    })
}
