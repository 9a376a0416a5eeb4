// Actions on an interface in the drift report, with confirmation and Undo where possible.
import type { ReconcileItem } from '@panel/shared/api/reconcile.ts'
import { act } from '../../core/act.ts'
import { call } from '../../core/api.ts'
import { confirm } from '../../core/confirm.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { withAccessCheck } from '../../core/own-access.ts'
import { sentences } from '../../core/sentences.ts'
import { tunnelText } from '../../core/tunnel-names.ts'
import { dependentRules, leavingNetworks } from '../tunnels/dependants.ts'

/** Queries that a change of what is managed invalidates. */
export const stale = ['/reconcile', '/tunnels', '/routes', '/networks', '/settings'] as const
type Item = Pick<ReconcileItem, 'interface_name' | 'display_name' | 'tunnel_id'>

const pageOf = (id: Item['tunnel_id']): { page?: string } => (id === null ? {} : { page: `/tunnels/${id}` })

export const setIgnored = (interface_name: string, ignored: boolean): Promise<unknown> => {
  const set = (is: boolean): Promise<unknown> =>
    call('POST /reconcile/ignore', { body: { interface_name, ignored: is } })
  const name = { name: interface_name }
  const outcomes = ignored
    ? { done: t('reconcile.done.ignored', name), failing: t('reconcile.failing.ignore', name) }
    : { done: t('reconcile.done.unignored', name), failing: t('reconcile.failing.unignore', name) }
  return act(outcomes, () => set(ignored), { undo: () => set(!ignored), stale })
}

/** Resets the pauses of everything that waits. */
export const resetPauses = (): Promise<unknown> =>
  act(
    { done: t('reconcile.heal.done'), failing: t('reconcile.heal.failing') },
    () => call('POST /reconcile/heal/reset'),
    {
      stale,
    },
  )

export const reapply = (item: Item): Promise<unknown> => reapplyNamed(item.tunnel_id, tunnelText(item))

/** `name` is what the page calls it. */
export const reapplyNamed = (id: Item['tunnel_id'], name: string): Promise<unknown> =>
  act(
    { done: t('reconcile.done.reapplied', { name }), failing: t('reconcile.failing.reapply', { name }) },
    () => withAccessCheck('POST /reconcile/{id}/reapply', { id: id ?? '' }),
    { stale, ...pageOf(id) },
  )

export const forget = async (item: Item): Promise<void> => {
  const [id, name] = [item.tunnel_id, tunnelText(item)]
  if (
    !(await confirm({
      title: t('reconcile.forget.title', { name }),
      ...(await consequence('forget', id)),
      action: t('reconcile.action.forget'),
      isDanger: true,
      request: { method: 'POST', path: `/reconcile/${id}/forget` },
    }))
  )
    return
  await act(
    { done: t('reconcile.done.forgotten', { name }), failing: t('reconcile.failing.forget', { name }) },
    () => call('POST /reconcile/{id}/forget', { id: id ?? '' }),
    { stale, ...pageOf(id), isGone: true },
  )
}

export const deleteTunnel = async (item: Item): Promise<void> => {
  const [id, name] = [item.tunnel_id, tunnelText(item)]
  // Where they are not known, a path is not deleted.
  const { text, body } = await leavingNetworks(id ?? 0).catch(() => ({ text: '', body: {} }))
  const ends = await consequence('delete', id)
  if (
    !(await confirm({
      title: t('reconcile.delete.title', { name }),
      ...ends,
      text: sentences(text, ends.text),
      action: t('core.action.delete'),
      isDanger: true,
      request: { method: 'DELETE', path: `/tunnels/${id}`, body },
    }))
  )
    return
  await act(
    { done: t('reconcile.done.deleted', { name }), failing: t('reconcile.failing.delete', { name }) },
    () => withAccessCheck('DELETE /tunnels/{id}', { id: id ?? '', body }),
    { stale, ...pageOf(id), isGone: true },
  )
}

/** Names the relay rules only where there are some, and says so where they are not known. */
const consequence = async (
  action: 'forget' | 'delete',
  tunnel_id: number | null,
): Promise<{ text: string; items: string[] }> => {
  const text = t(`reconcile.${action}.text`)
  const items = await dependentRules(tunnel_id ?? 0).catch(() => null)
  if (items === null) return { text: sentences(text, t('reconcile.rules_not_known')), items: [] }
  return { text: items.length > 0 ? sentences(text, t(`reconcile.${action}.rules`)) : text, items }
}
