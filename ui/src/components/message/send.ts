// Sends the one request that mends what a sentence tells.
import { act } from '../../core/act.ts'
import { call } from '../../core/api.ts'
import { Cancelled } from '../../core/cancelled.ts'
import { confirm } from '../../core/confirm.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { withAccessCheck } from '../../core/own-access.ts'
import type { Offer } from './offers.ts'
import type { RequestName } from './remedies.ts'

/** Any of them may put right what any page shows. */
const STALE = ['/tunnels', '/routes', '/reconcile', '/monitor', '/system', '/diagnostics'] as const

const SENDERS: Readonly<Record<RequestName, (id: number) => Promise<unknown>>> = {
  reapply_tunnel: (id) => withAccessCheck('POST /tunnels/{id}/reapply', { id }),
  enable_tunnel: (id) => withAccessCheck('POST /tunnels/{id}/up', { id }),
  monitor_tunnel: (id) => call('POST /tunnels/{id}/monitor/enable', { id }),
  reapply_rule: (id) => call('POST /routes/{id}/reapply', { id }),
  enable_rule: (id) => call('POST /routes/{id}/enable', { id }),
  reapply_rules: async () => {
    const isConfirmed = await confirm({
      title: t('remedy.reapply_rules_ask'),
      text: t('remedy.reapply_rules_text'),
      action: t('remedy.reapply_rules'),
      request: { method: 'POST', path: '/routes/apply-all' },
    })
    if (!isConfirmed) throw new Cancelled()
    return call('POST /routes/apply-all')
  },
  enable_forwarding: () => call('POST /system/forwarding/enable', { body: {} }),
  raise_conntrack: (size) => call('POST /system/forwarding/enable', { body: { conntrack_max: size } }),
  stop_run: (id) => call('DELETE /diagnostics/runs/{id}', { id }),
}

export const send = ({ request, id }: Extract<Offer, { request: unknown }>): Promise<unknown> =>
  act({ done: t(`remedy.${request}_done`), failing: t(`remedy.${request}_failing`) }, () => SENDERS[request](id ?? 0), {
    stale: STALE,
  })
