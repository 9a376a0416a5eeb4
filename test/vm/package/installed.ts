// The Debian package in the lab's machine: what apt and dpkg do with it, and the panel that it is, reached from here.
import { makePackage } from '../../../packaging/package/package.ts'
import { Client } from '../../api/support/client.ts'
import type { Lab } from '../lab/index.ts'

export const UNITS = ['tunnel-panel-helper.service', 'tunnel-panel-web.service']
export const CONF = '/etc/tunnel-panel/panel.conf'
/** apt, dpkg and two starts of node on an emulated processor. */
const SLOW = { timeoutMs: 420_000 }

let made: Promise<string> | undefined
export const thePackage = (): Promise<string> => (made ??= makePackage())

export class Installed {
  readonly lab: Lab
  operator!: Client

  constructor(lab: Lab) {
    this.lab = lab
  }

  /** What apt says; throws with it where apt fails. */
  async install(path: string): Promise<string> {
    const to = `/root/${path.split('/').at(-1)}`
    await this.lab.put(to, path)
    return this.lab.run(`DEBIAN_FRONTEND=noninteractive apt-get install -y ${to} 2>&1`, SLOW)
  }

  /** Reached from outside the machine, which the loopback address is not. */
  async open(): Promise<void> {
    await this.lab.run(`sed -i 's/^PANEL_LISTEN_ADDRESS=.*/PANEL_LISTEN_ADDRESS=0.0.0.0/' ${CONF} && systemctl restart tunnel-panel-web`, SLOW)
    this.operator = new Client(`${await this.lab.url(8480)}/${await this.webPath()}/`)
  }

  async webPath(): Promise<string> {
    return (await this.lab.run(`sed -n 's/^PANEL_WEB_PATH=//p' ${CONF}`)).trim()
  }

  async property(unit: string, name: string): Promise<string> {
    return (await this.lab.run('systemctl', ['show', '--value', '-p', name, unit])).trim()
  }
}
