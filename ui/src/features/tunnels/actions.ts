// Actions on a tunnel, with confirmation and Undo where possible.
import type { DeleteTunnelAnswer, TunnelActionAnswer, TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { act, type Outcomes } from '../../core/act.ts'
import { confirm } from '../../core/confirm.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { withAccessCheck } from '../../core/own-access.ts'
import { sentences } from '../../core/sentences.ts'
import { router } from '../../core/router.svelte.ts'
import { Cancelled } from '../../core/cancelled.ts'
import { tunnelText } from '../../core/tunnel-names.ts'
import { dependentRules, leavingNetworks } from './dependants.ts'

type Named = Pick<TunnelView, 'tunnel_id' | 'interface_name' | 'display_name'>

/** Queries that a change of a tunnel invalidates. */
export const STALE = ['/tunnels', '/monitor', '/reconcile', '/routes', '/networks']

const ROUTES = {
  up: 'POST /tunnels/{id}/up',
  down: 'POST /tunnels/{id}/down',
  restart: 'POST /tunnels/{id}/restart',
  reapply: 'POST /tunnels/{id}/reapply',
} as const satisfies Record<TunnelActionAnswer['action'], string>

export const send = ({ tunnel_id }: Named, action: TunnelActionAnswer['action']): Promise<TunnelActionAnswer | null> =>
  withAccessCheck(ROUTES[action], { id: tunnel_id })

function outcomes(action: TunnelActionAnswer['action'] | 'delete', tunnel: Named): Outcomes {
  const name = tunnelText(tunnel)
  return { done: t(`tunnel.done.${action}`, { name }), failing: t(`tunnel.failing.${action}`, { name }) }
}

const pageOf = ({ tunnel_id }: Named): string => `/tunnels/${tunnel_id}`

export const bringUp = (tunnel: Named): Promise<unknown> =>
  act(outcomes('up', tunnel), () => send(tunnel, 'up'), {
    stale: STALE,
    page: pageOf(tunnel),
    undo: () => send(tunnel, 'down'),
  })

/** Needs confirmation only if relay rules depend on it. */
export const bringDown = (tunnel: Named): Promise<unknown> =>
  act(
    outcomes('down', tunnel),
    async () => {
      const items = await dependentRules(tunnel.tunnel_id)
      const isConfirmed =
        items.length === 0 ||
        (await confirm({
          title: t('tunnel.ask.down', { name: tunnelText(tunnel) }),
          text: t('tunnel.ask.down_text'),
          items,
          action: t('tunnel.do.down'),
          isDanger: true,
          request: { method: 'POST', path: `/tunnels/${tunnel.tunnel_id}/down` },
        }))
      if (!isConfirmed) throw new Cancelled()
      return send(tunnel, 'down')
    },
    { stale: STALE, page: pageOf(tunnel), undo: () => send(tunnel, 'up') },
  )

export const restart = async (tunnel: Named): Promise<void> => {
  const name = tunnelText(tunnel)
  if (
    await confirm({
      title: t('tunnel.ask.restart', { name }),
      text: t('tunnel.ask.restart_text'),
      action: t('tunnel.do.restart'),
      request: { method: 'POST', path: `/tunnels/${tunnel.tunnel_id}/restart` },
    })
  )
    await act(outcomes('restart', tunnel), () => send(tunnel, 'restart'), { stale: STALE, page: pageOf(tunnel) })
}

export const reapply = (tunnel: Named): Promise<unknown> =>
  act(outcomes('reapply', tunnel), () => send(tunnel, 'reapply'), { stale: STALE, page: pageOf(tunnel) })

export const deleteTunnel = (tunnel: Named): Promise<DeleteTunnelAnswer | null> =>
  act(
    outcomes('delete', tunnel),
    async () => {
      const { tunnel_id } = tunnel
      const [items, networks] = await Promise.all([dependentRules(tunnel_id), leavingNetworks(tunnel_id)])
      const { body } = networks
      const text = sentences(
        networks.text,
        items.length === 0 ? t('tunnel.ask.delete_text') : t('tunnel.ask.delete_dependants', { count: items.length }),
      )
      if (
        !(await confirm({
          title: t('tunnel.ask.delete', { name: tunnelText(tunnel) }),
          text,
          items,
          action: t('core.action.delete'),
          isDanger: true,
          request: { method: 'DELETE', path: `/tunnels/${tunnel_id}`, body },
        }))
      )
        throw new Cancelled()
      const answer = await withAccessCheck('DELETE /tunnels/{id}', { id: tunnel_id, body })
      if (router.path !== '/tunnels') await router.go('/tunnels')
      return answer
    },
    { stale: STALE, page: pageOf(tunnel), isGone: true },
  )
