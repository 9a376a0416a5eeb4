// A panel that follows the names of far ends, before a real DNS server, and what a test looks at.
import assert from 'node:assert/strict'
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { LOST, type HostEvent } from '@panel/shared/events/model.ts'
import type { RoutingEntry } from '@panel/shared/tunnel/observed.ts'
import { startDnsServer, type DnsServer } from '../../support/dns-server.ts'
import { fakeInterface } from '../../support/fake-interfaces.ts'
import type { FakeLink } from '../../support/fake-links.ts'
import type { Client } from './client.ts'
import { set } from './settings.ts'
import { createTunnel, getTunnel, startFaultyPanel, type FaultyPanel } from './tunnels.ts'

export const NAME = 'far.test'
export const [ONE, TWO, THREE] = ['198.51.100.7', '198.51.100.8', '198.51.100.9'] as const
/** The smallest request that names the far end. */
export const NAMED = { remote_endpoint: undefined, remote_hostname: NAME } as const

interface Entry {
  readonly operations: readonly string[]
  readonly is_success: boolean
  readonly error_message: string
  readonly target_id: number | null
}

export class FarEndRig {
  readonly dns: DnsServer
  readonly panel: FaultyPanel
  client: Client

  private constructor(dns: DnsServer, panel: FaultyPanel, client: Client) {
    this.dns = dns
    this.panel = panel
    this.client = client
  }

  /** Called once in a suite: each test has a panel of its own, and the name leads to ONE. */
  static each(take: (rig: FarEndRig) => void): void {
    let dns: DnsServer
    let rig: FarEndRig
    before(async () => (dns = await startDnsServer()))
    after(() => dns.stop())
    beforeEach(async () => {
      const panel = await startFaultyPanel()
      rig = new FarEndRig(dns, panel, await panel.setUp())
      await set(rig.client, { 'routes.dns_servers': [dns.address] })
      panel.farEnds.start()
      panel.localEnds.start()
      await dns.set({ [NAME]: [ONE] })
      take(rig)
    })
    afterEach(() => rig.panel.close())
  }

  async made(body: object = {}): Promise<TunnelView> {
    const { status, text, body: answer } = await createTunnel(this.client, { ...NAMED, ...body })
    assert.equal(status, 201, text)
    await this.settled()
    return answer.tunnel
  }

  link(name = 'gre-a-1'): FakeLink | undefined {
    return this.panel.host.held.get(name)
  }

  farEnd(name?: string): string | undefined {
    return this.link(name)?.state?.config.remote_endpoint
  }

  async read(): Promise<TunnelView> {
    return (await getTunnel(this.client, 1)).body
  }

  async look(times = 2, family: 4 | 6 = 4): Promise<void> {
    for (let at = 0; at < times; at += 1) await this.panel.farEnds.look(NAME, family)
    await this.panel.farEnds.settled()
  }

  async leadsTo(...addresses: string[]): Promise<void> {
    await this.dns.set({ [NAME]: addresses })
    await this.look()
  }

  async settled(): Promise<void> {
    await this.panel.farEnds.settled()
    await this.panel.localEnds.settled()
  }

  /** The addresses of an interface, in the kernel's order. */
  has(name: string, ...addresses: string[]): void {
    const { host } = this.panel
    const others = host.hostInterfaces.filter((one) => one.name !== name)
    host.hostInterfaces = [...others, fakeInterface(name, name === 'eth0' ? 2 : 9, 'physical', addresses)]
  }

  /** The routing table becomes another one, and the kernel reports it. */
  async routed(...routes: RoutingEntry[]): Promise<void> {
    this.panel.host.hostRoutes = routes
    await this.announced('route')
  }

  async announced(subject: HostEvent['subject']): Promise<void> {
    this.panel.bus.publish('host.changed', { events: [{ ...LOST, subject }] })
    await this.settled()
  }

  async audited(action = 'TunnelFarEndMoved'): Promise<Entry[]> {
    return (await this.client.get<{ entries: Entry[] }>(`/audit?action=${action}`)).body.entries
  }

  /** What boot brings back. */
  get files(): string {
    return [...this.panel.host.files.values()].join('\n')
  }
}
