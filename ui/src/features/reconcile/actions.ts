// Actions on an interface in the drift report, with confirmation and Undo where possible.
import type { ReconcileItem } from '@panel/shared/api/reconcile.ts'
import { act } from '../../core/act.ts'
import { call } from '../../core/api.ts'
import { confirm } from '../../core/confirm.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { withAccessCheck } from '../../core/own-access.ts'
import { dependentRules } from '../tunnels/dependent-rules.ts'

const stale = ['/reconcile', '/tunnels', '/routes', '/settings'] as const
type Item = Pick<ReconcileItem, 'interface_name' | 'tunnel_id'>

export const setIgnored = (interface_name: string, ignored: boolean): Promise<unknown> => {
  const set = (is: boolean): Promise<unknown> =>
    call('POST /reconcile/ignore', { body: { interface_name, ignored: is } })
  const name = { name: interface_name }
  return act(t(ignored ? 'reconcile.done.ignored' : 'reconcile.done.unignored', name), () => set(ignored), {
    undo: () => set(!ignored),
    stale,
    failing: t(ignored ? 'reconcile.failing.ignore' : 'reconcile.failing.unignore', name),
  })
}

export const reapply = ({ interface_name: name, tunnel_id: id }: Item): Promise<unknown> =>
  act(
    t('reconcile.done.reapplied', { name }),
    () => withAccessCheck('POST /reconcile/{id}/reapply', { id: id ?? '' }),
    {
      stale,
      failing: t('reconcile.failing.reapply', { name }),
    },
  )

export const forget = async ({ interface_name: name, tunnel_id: id }: Item): Promise<void> => {
  if (
    !(await confirm({
      title: t('reconcile.forget.title', { name }),
      text: t('reconcile.forget.text'),
      items: await dependents(id),
      action: t('reconcile.action.forget'),
      isDanger: true,
    }))
  )
    return
  await act(t('reconcile.done.forgotten', { name }), () => call('POST /reconcile/{id}/forget', { id: id ?? '' }), {
    stale,
    failing: t('reconcile.failing.forget', { name }),
  })
}

export const deleteTunnel = async ({ interface_name: name, tunnel_id: id }: Item): Promise<void> => {
  if (
    !(await confirm({
      title: t('reconcile.delete.title', { name }),
      text: t('reconcile.delete.text'),
      items: await dependents(id),
      action: t('core.action.delete'),
      isDanger: true,
    }))
  )
    return
  await act(t('reconcile.done.deleted', { name }), () => withAccessCheck('DELETE /tunnels/{id}', { id: id ?? '' }), {
    stale,
    failing: t('reconcile.failing.delete', { name }),
  })
}

/** If the relay rules cannot be fetched, confirm without them. */
const dependents = (id: number | null): Promise<string[]> => dependentRules(id ?? 0).catch(() => [])
