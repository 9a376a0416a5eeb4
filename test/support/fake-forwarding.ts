// The switches of a kernel in memory, and the file that sets them at boot.
import { switchesBy, type ForwardingSwitches, type Switch } from '@panel/shared/forwarding/model.ts'
import type { Forwarding } from '@panel/root-helper/kernel/facilities.ts'

export class FakeForwarding implements Forwarding {
  /** One that is not named is off. */
  live: Partial<ForwardingSwitches> = { ipv4: false, ipv6: false }
  missing: Switch[] = []
  file: string | null = null
  /** The values of interfaces that have their IPv6 from router advertisements. */
  acceptRa: Record<string, number> = {}
  isSettable = true
  conntrack: { count: number; max: number } | null = { count: 0, max: 262_144 }
  /** What may be set; null in another network namespace than the first. */
  most: number | null = 2_097_152
  readonly #change: (what: string) => void

  constructor(change: (what: string) => void) {
    this.#change = change
  }

  facts = async () => ({
    live: switchesBy((name) => this.live[name] === true),
    missing: this.missing,
    sysctl_path: '/etc/sysctl.d/99-tunnel-panel.conf',
    conntrack_max: this.conntrack?.max ?? null,
    conntrack: this.conntrack && { count: this.conntrack.count, most: this.most },
  })
  picture = (): unknown => [this.live, this.file, this.acceptRa, this.conntrack?.max ?? null]
  readFile = async (): Promise<string | null> => this.file
  advertised = async (named: readonly string[]): ReturnType<Forwarding['advertised']> =>
    Object.entries(this.acceptRa)
      .filter(([name, value]) => value > 0 || named.includes(name))
      .map(([interface_name, accept_ra]) => ({ interface_name, accept_ra, is_settable: this.isSettable }))

  async setAcceptRa(interface_name: string, value: number): Promise<void> {
    this.#change(`accept_ra ${interface_name} ${value}`)
    this.acceptRa = { ...this.acceptRa, [interface_name]: value }
  }

  async set(name: Switch, is_on: boolean): Promise<void> {
    this.#change(`forwarding ${name} ${is_on}`)
    this.live = { ...this.live, [name]: is_on }
  }

  async setConntrackMax(value: number): Promise<void> {
    this.#change(`conntrack_max ${value}`)
    if (this.conntrack) this.conntrack = { ...this.conntrack, max: value }
  }

  async writeFile(content: string): Promise<void> {
    this.#change('write 99-tunnel-panel.conf')
    this.file = content
  }

  async removeFile(): Promise<void> {
    this.#change('remove 99-tunnel-panel.conf')
    this.file = null
  }
}
