// What can be done to a tunnel as a whole: each says what it did, asks first in proportion, and can be put back where that is one click.
import type { DeleteTunnelAnswer, TunnelActionAnswer, TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { act } from '../../core/act.ts'
import { confirm } from '../../core/confirm.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { mindingOwnAccess } from '../../core/own-access.ts'
import { router } from '../../core/router.svelte.ts'
import { Withdrawn } from '../../core/withdrawn.ts'
import { relaysOver } from './relays-over.ts'

type Named = Pick<TunnelView, 'tunnel_id' | 'interface_name'>

const OUTDATES = ['/tunnels', '/monitor', '/reconcile', '/routes']

const ROUTES = {
  up: 'POST /tunnels/{id}/up',
  down: 'POST /tunnels/{id}/down',
  restart: 'POST /tunnels/{id}/restart',
  reapply: 'POST /tunnels/{id}/reapply',
} as const satisfies Record<TunnelActionAnswer['action'], string>

const send = ({ tunnel_id }: Named, action: TunnelActionAnswer['action']): Promise<TunnelActionAnswer | null> =>
  mindingOwnAccess(ROUTES[action], { id: tunnel_id })

export const bringUp = (tunnel: Named): Promise<unknown> =>
  act(t('tunnel.done.up', { name: tunnel.interface_name }), () => send(tunnel, 'up'), {
    outdates: OUTDATES,
    undo: () => send(tunnel, 'down'),
  })

/** One click, unless rules relay over it. */
export const takeDown = (tunnel: Named): Promise<unknown> =>
  act(
    t('tunnel.done.down', { name: tunnel.interface_name }),
    async () => {
      const concerned = await relaysOver(tunnel.tunnel_id)
      const isWanted =
        concerned.length === 0 ||
        (await confirm({
          title: t('tunnel.ask.down', { name: tunnel.interface_name }),
          text: t('tunnel.ask.down_text'),
          concerned,
          action: t('tunnel.do.down'),
          isDanger: true,
        }))
      if (!isWanted) throw new Withdrawn()
      return send(tunnel, 'down')
    },
    { outdates: OUTDATES, undo: () => send(tunnel, 'up') },
  )

export const restart = async (tunnel: Named): Promise<void> => {
  const { interface_name: name } = tunnel
  if (
    await confirm({
      title: t('tunnel.ask.restart', { name }),
      text: t('tunnel.ask.restart_text'),
      action: t('tunnel.do.restart'),
    })
  )
    await act(t('tunnel.done.restart', { name }), () => send(tunnel, 'restart'), { outdates: OUTDATES })
}

export const reapply = (tunnel: Named): Promise<unknown> =>
  act(t('tunnel.done.reapply', { name: tunnel.interface_name }), () => send(tunnel, 'reapply'), { outdates: OUTDATES })

export const takeAway = (tunnel: Named): Promise<DeleteTunnelAnswer | null> =>
  act(
    t('tunnel.done.delete', { name: tunnel.interface_name }),
    async () => {
      const concerned = await relaysOver(tunnel.tunnel_id)
      const text =
        concerned.length === 0
          ? t('tunnel.ask.delete_text')
          : t('tunnel.ask.delete_dependants', { count: concerned.length })
      if (
        !(await confirm({
          title: t('tunnel.ask.delete', { name: tunnel.interface_name }),
          text,
          concerned,
          action: t('core.action.delete'),
          isDanger: true,
        }))
      )
        throw new Withdrawn()
      const answer = await mindingOwnAccess('DELETE /tunnels/{id}', { id: tunnel.tunnel_id })
      await router.go('/tunnels')
      return answer
    },
    { outdates: OUTDATES },
  )
