// Actions on a rule, with Undo where possible.
import type { RouteView } from '@panel/shared/api/routes/answers.ts'
import { act } from '../../core/act.ts'
import { call } from '../../core/api.ts'
import { confirm } from '../../core/confirm.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { router } from '../../core/router.svelte.ts'
import DropConnections from './DropConnections.svelte'
import { dropOption } from './drop-connections.svelte.ts'
import { STALE } from './stale.ts'

type Named = Pick<RouteView, 'route_rule_id' | 'route_rule_title'>

const pageOf = (id: number): string => `/routes/${id}`

export const setEnabled = (
  { route_rule_id: id, route_rule_title: title }: Named,
  isEnabled: boolean,
): Promise<unknown> => {
  const set = (is: boolean): Promise<unknown> =>
    call(is ? 'POST /routes/{id}/enable' : 'POST /routes/{id}/disable', { id })
  const outcomes = isEnabled
    ? { done: t('routes.done.enabled', { title }), failing: t('routes.failing.enable', { title }) }
    : { done: t('routes.done.disabled', { title }), failing: t('routes.failing.disable', { title }) }
  return act(outcomes, () => set(isEnabled), { undo: () => set(!isEnabled), stale: STALE, page: pageOf(id) })
}

export const reapply = ({ route_rule_id: id, route_rule_title: title }: Named): Promise<unknown> =>
  act(
    { done: t('routes.done.reapplied', { title }), failing: t('routes.failing.reapply', { title }) },
    () => call('POST /routes/{id}/reapply', { id }),
    { stale: STALE, page: pageOf(id) },
  )

/** The copy is disabled; its editor opens next. */
export const duplicate = async ({ route_rule_id: id, route_rule_title: title }: Named): Promise<void> => {
  const answer = await act(
    { done: t('routes.done.duplicated', { title }), failing: t('routes.failing.duplicate', { title }) },
    () => call('POST /routes/{id}/duplicate', { id }),
    { stale: STALE, page: pageOf(id) },
  )
  if (answer) await router.go(`/routes/${answer.route.route_rule_id}/edit`)
}

/** Resolves to whether it was deleted. */
export const deleteRule = async (
  { route_rule_id: id, route_rule_title: title }: Named,
  bind: string,
): Promise<boolean> => {
  dropOption.isOn = false
  dropOption.rule = id
  if (
    !(await confirm({
      title: t('routes.delete.title', { title }),
      text: t('routes.delete.text', { bind }),
      action: t('core.action.delete'),
      isDanger: true,
      isTried: true,
      more: DropConnections,
    }))
  )
    return false
  const answer = await act(
    { done: t('routes.done.deleted', { title }), failing: t('routes.failing.delete', { title }) },
    () => call('DELETE /routes/{id}', { id, body: { drop_connections: dropOption.isOn } }),
    { stale: STALE, page: pageOf(id), isGone: true },
  )
  if (answer?.forwarding_can_be_reverted) await offerRevert()
  return answer !== null
}

/** Not automatic, because other software may now need forwarding. */
const offerRevert = async (): Promise<void> => {
  if (
    !(await confirm({
      title: t('routes.revert.title'),
      text: t('routes.revert.text'),
      action: t('routes.revert.action'),
      request: { method: 'POST', path: '/system/forwarding/enable', body: { revert: true } },
    }))
  )
    return
  await act(
    { done: t('routes.revert.done'), failing: t('routes.revert.failing') },
    () => call('POST /system/forwarding/enable', { body: { revert: true } }),
    { stale: STALE },
  )
}
