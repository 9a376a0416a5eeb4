// What a panel in the lab puts back by itself, and why it looked.
import assert from 'node:assert/strict'
import { GRACE_MS } from '@panel/web-daemon/change/remediate.ts'
import type { HealView } from '@panel/shared/api/base/heal.ts'
import { eventually } from '../eventually.ts'
import { expect, type Panel, type Place } from './panel.ts'
import { reconciling } from './reconciling.ts'

interface Entries {
  readonly entries: readonly { readonly action: string; readonly target_id: number; readonly is_success: boolean }[]
}

export const healing = (panel: Panel<Place>) => {
  const reconcile = reconciling(panel)
  const heal = async (name: string): Promise<HealView> => (await reconcile.itemOf(name)).heal ?? assert.fail(name)
  const until = (what: string, isSo: () => Promise<boolean>): Promise<void> => eventually(isSo, what)
  /** Lets time pass by the clock of the machine, and with an event that is worth a look. */
  const pass = async (ms: number): Promise<void> => {
    await panel.server.run(`date -s "@$(($(date +%s) + ${Math.ceil(ms / 1000)}))"`)
    await panel.server.run('ip link set lo mtu 60000 && ip link set lo mtu 65536')
  }
  return {
    heal,
    until,
    pass,
    /** Nothing is put back while a host boots. */
    bootIsOver: (): Promise<void> => pass(GRACE_MS + 1000),
    isBack: (name: string, tries: number): Promise<void> =>
      until(`${name} is not back`, async () => {
        const item = await reconcile.itemOf(name)
        return item.status === 'InSync' && item.heal?.tries === tries
      }),
    isTaken: (name: string, times: number): Promise<void> =>
      until(`${name} is not taken away`, async () => {
        const item = await reconcile.itemOf(name)
        return item.status === 'Drifted' && item.heal?.times === times
      }),
    /** Why each pass was made that found the tunnel drifted. */
    causes: (name: string): string[] =>
      [...panel.web.text('stderr').matchAll(/"because":"(\w+)","changed":\[([^\]]*)\]/g)]
        .filter(([, , changed]) => changed?.includes(`{"key":"${name}","from":"InSync","to":"Drifted"}`))
        .map(([, because]) => because ?? ''),
    /** What the panel did by itself to a tunnel, the latest first. */
    entries: async (tunnel_id: number): Promise<string[]> =>
      expect(await panel.operator.get<Entries>('/audit?limit=1000'), 200)
        .entries.filter((one) => one.target_id === tunnel_id && /^(TunnelReapply|ChangeSettle)$/.test(one.action))
        .map(({ action, is_success }) => `${action} ${is_success}`),
  }
}
