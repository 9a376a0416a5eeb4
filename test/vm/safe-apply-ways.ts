// Four tunnels of one panel, by each of which an operator comes who has no other way: what he does to it cuts him off.
import assert from 'node:assert/strict'
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import type { Lab, Server } from './lab/index.ts'
import { Inside } from './panel/inside.ts'
import { expect, type Panel, type Place } from './panel/panel.ts'
import { tunnelRequest } from '../support/records.ts'

const [NEAR, FAR] = ['198.51.100.1', '198.51.100.2']

/** However long a busy machine takes for the change; the window's time begins with its end. */
const CUT_MS = 60_000

export interface Cut {
  readonly method: 'PATCH' | 'DELETE' | 'POST'
  /** Below the path of his tunnel. */
  readonly path: string
  readonly body: object
}

/** Changes that cut off a client that comes by the tunnel; each is tried on a tunnel of its own. */
export const CUTS: Readonly<Record<string, Cut>> = {
  'takes the address away that he comes by': {
    method: 'PATCH',
    path: '',
    body: { addresses: [{ address: '10.9.0.1', prefix_length: 30 }] },
  },
  'gives the tunnel another far end': {
    method: 'PATCH',
    path: '',
    body: { remote_endpoint: '198.51.100.99', confirm_recreate: true },
  },
  'takes the tunnel down': { method: 'POST', path: '/down', body: {} },
  'deletes the tunnel': { method: 'DELETE', path: '', body: {} },
}

export interface Way {
  readonly tunnel: CreateTunnelAnswer['tunnel']
  readonly cut: Cut
  readonly inside: Inside
}

/** The machine is the panel's server, since boot knows nothing of namespaces; a power cut takes the far one with it. */
export class Ways {
  readonly #lab: Lab
  readonly #panel: Panel<Place>
  readonly all: Way[] = []
  #far!: Server

  constructor(lab: Lab, panel: Panel<Place>) {
    this.#lab = lab
    this.#panel = panel
  }

  async make(): Promise<void> {
    await this.#plugIn()
    for (const cut of Object.values(CUTS)) {
      const ends = tunnelRequest({ local_endpoint: NEAR, remote_endpoint: FAR })
      const { tunnel } = expect(await this.#panel.operator.post<CreateTunnelAnswer>('/tunnels', ends), 201)
      const [address] = tunnel.addresses
      const inside = new Inside(this.#far, `http://${address?.address}:8480`, this.#panel.operator)
      this.all.push({ tunnel, cut, inside })
    }
    await this.#makeFarEnds()
  }

  /** Moves the client into a network behind the far end. */
  async moveBehind(): Promise<void> {
    for (const [at, { tunnel }] of this.all.entries()) {
      await this.#lab.run(`ip route add 10.77.${at}.0/24 dev ${tunnel.interface_name}`)
      const route = `${subnetOf(tunnel)} dev hand${at}`
      await this.#far.run(
        `ip address add 10.77.${at}.1/32 dev lo && ip route add ${route} src 10.77.${at}.1 metric 1 && ip route delete ${route} proto kernel`,
      )
    }
  }

  /** All that his changes may touch: links by their names, routes, and the files for boot. */
  async picture(): Promise<string> {
    const all = JSON.parse(await this.#lab.run('ip -d -j address show')) as Record<string, unknown>[]
    const links = all
      .map(({ ifindex: _index, stats64: _stats, addr_info, ...link }) => {
        const global = (addr_info as { scope: string }[]).filter(({ scope }) => scope !== 'link')
        return JSON.stringify({ ...link, addr_info: global }, null, 1)
      })
      .filter((link) => link.includes('"gre"'))
      .sort()
    const files = await this.#lab.run(`cd ${this.#panel.unitDir} && grep -r '' --include 'tunnel-panel-*' | sort`)
    return [...links, await this.#lab.run('ip route show | sort'), files].join('\n')
  }

  /** Makes the host again like after a power cut, which leaves the panel's own files alone. */
  async makeAnew(): Promise<void> {
    await this.#plugIn()
    for (const [at, { cut, tunnel }] of this.all.entries()) {
      const inside = new Inside(this.#far, `http://${tunnel.addresses[0]?.address}:8480`, this.#panel.operator)
      this.all[at] = { tunnel, cut, inside }
    }
    await this.#makeFarEnds()
  }

  async #plugIn(): Promise<void> {
    this.#far = (await this.#lab.twoServers()).b
    await this.#lab.run(
      `ip link add cable type veth peer name cable netns b && ip address add ${NEAR}/24 dev cable && ip link set cable up`,
    )
    await this.#far.run(`ip address add ${FAR}/24 dev cable && ip link set cable up`)
  }

  async #makeFarEnds(): Promise<void> {
    for (const [at, { tunnel }] of this.all.entries())
      await this.#far.run(
        `ip link add hand${at} mtu ${tunnel.mtu} type gre local ${FAR} remote ${NEAR} ikey ${tunnel.okey} okey ${tunnel.ikey} && ip address add ${farAddressOf(tunnel)}/30 dev hand${at} && ip link set hand${at} up`,
      )
  }

  /** Sends the cut through the tunnel itself, in a window of so many seconds, and waits until he is off. */
  async cutOff({ tunnel, cut: { method, path: below, body }, inside }: Way, seconds: number): Promise<void> {
    const path = `/tunnels/${tunnel.tunnel_id}${below}`
    const foreseen = await inside.request<ImpactAnswer>('POST', '/impact', { method, path, body }, 30)
    assert.equal(foreseen.body.impact.own_access.is_affected, true, 'the impact says so beforehand')
    assert.notEqual(foreseen.body.impact.own_access.how, 'none')
    // Its answer comes when he is back, if at all.
    void inside.request(method, path, { ...body, confirm_within_seconds: seconds }, 3).catch(() => undefined)
    const began = performance.now()
    while (await inside.reaches()) assert.ok(performance.now() - began < CUT_MS, 'he is cut off')
  }

  /** In one window, which has all the time that a busy machine takes for it. Returns the window. */
  async cutAllOff(): Promise<string> {
    for (const way of this.all) await this.cutOff(way, 3600)
    const { window } = expect(await this.#panel.operator.get<SafeApplyAnswer>('/safe-apply'), 200)
    assert.equal(window?.changes, this.all.length, 'all of them wait in one window')
    return window?.window_id ?? ''
  }

  /** Makes all cuts from the panel's own server, as far as it comes before `gone`. */
  async cutAllAtOnce(gone: AbortSignal): Promise<void> {
    for (const { tunnel, cut } of this.all) {
      const body = { ...cut.body, confirm_within_seconds: 3600 }
      const path = `/tunnels/${tunnel.tunnel_id}${cut.path}`
      await this.#panel.operator.api(cut.method, path, body, { signal: gone }).catch(() => undefined)
    }
  }
}

type Tunnel = Way['tunnel']
const wordsOf = ({ addresses: [inner] }: Tunnel): string[] => inner?.address.split('.') ?? []
/** The panel's own is the first of the two. */
const farAddressOf = (tunnel: Tunnel): string =>
  wordsOf(tunnel)
    .with(3, `${Number(wordsOf(tunnel)[3]) + 1}`)
    .join('.')
const subnetOf = (tunnel: Tunnel): string =>
  `${wordsOf(tunnel)
    .with(3, `${Number(wordsOf(tunnel)[3]) - 1}`)
    .join('.')}/30`
