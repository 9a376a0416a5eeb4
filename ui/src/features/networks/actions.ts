// Actions on a network that lies behind tunnels, and on its paths.
import type { NetworkPathView, NetworkView } from '@panel/shared/api/networks/answers.ts'
import { act } from '../../core/act.ts'
import { call } from '../../core/api.ts'
import { confirm } from '../../core/confirm.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { withAccessCheck } from '../../core/own-access.ts'
import { tunnelText } from '../../core/tunnel-names.ts'
import { requestOf, valuesOf } from './draft.ts'

export const STALE: readonly string[] = ['/networks', '/reconcile']

const MOVES = {
  'take-out': { way: 'out', back: 'put-back', endpoint: 'POST /networks/{id}/paths/{tunnel_id}/take-out' },
  'put-back': { way: 'back', back: 'take-out', endpoint: 'POST /networks/{id}/paths/{tunnel_id}/put-back' },
} as const

export const movePath = async (
  network: NetworkView,
  path: NetworkPathView,
  move: keyof typeof MOVES,
): Promise<void> => {
  const words = { name: tunnelText(path), title: network.network_title }
  const { way, back } = MOVES[move]
  const send = (which: keyof typeof MOVES) =>
    withAccessCheck(MOVES[which].endpoint, {
      id: network.network_id,
      tunnel_id: path.tunnel_id,
      body: {},
    })
  await act(
    { done: t(`networks.done.${way}`, words), failing: t(`networks.failing.${way}`, words) },
    () => send(move),
    {
      undo: () => send(back),
      stale: STALE,
      page: `/networks/${network.network_id}/edit`,
    },
  )
}

/** Puts right what the host does not hold of it. */
export const reapplyNetwork = async ({
  network_id: id,
  network_title: title,
}: {
  readonly network_id: number | null
  readonly network_title: string
}): Promise<void> => {
  const outcomes = { done: t('networks.done.reapplied', { title }), failing: t('networks.failing.reapply', { title }) }
  await act(outcomes, () => withAccessCheck('PATCH /networks/{id}', { id: id ?? '', body: {} }), {
    stale: STALE,
    page: `/networks/${id}/edit`,
  })
}

export const deleteNetwork = async (network: NetworkView): Promise<void> => {
  const { network_id: id, network_title: title, destination } = network
  if (
    !(await confirm({
      title: t('networks.delete.title', { title }),
      text: t('networks.delete.text', { destination }),
      action: t('core.action.delete'),
      isDanger: true,
      request: { method: 'DELETE', path: `/networks/${id}`, body: {} },
    }))
  )
    return
  const outcomes = { done: t('networks.done.deleted', { title }), failing: t('networks.failing.delete', { title }) }
  await act(outcomes, () => withAccessCheck('DELETE /networks/{id}', { id, body: {} }), {
    undo: () => call('POST /networks', { body: requestOf(valuesOf(network)) }),
    stale: STALE,
    page: `/networks/${id}/edit`,
    isGone: true,
  })
}
