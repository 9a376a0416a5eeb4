// The Debian package in the lab's machine: what apt and dpkg do with it, and the panel that it is, reached from here
// over TLS.
import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { becomes } from '../eventually.ts'
import { BUNDLE, ROOT } from '../../../packaging/build/build.ts'
import { makePackage } from '../../../packaging/package/package.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import { Client } from '../../api/support/client.ts'
import { cached, cacheFolder, fingerprint } from '../lab/cache.ts'
import { startLab, type Lab } from '../lab/index.ts'
import type { Kind } from '../lab/machine.ts'
import { expect, OPERATOR } from '../panel/panel.ts'

export const [HELPER, WEB] = ['tunnel-panel-helper.service', 'tunnel-panel-web.service'] as const
export const UNITS = [HELPER, WEB]
const CONF = '/etc/tunnel-panel/panel.conf'
/** The machine's own address. */
export const HERE = '10.0.2.15'
/** apt, dpkg and two starts of node on an emulated processor. */
export const SLOW = { timeoutMs: 1_200_000 }

let made: Promise<string> | undefined
/** Returns the path of the package, which is made once of the same sources and the same build. */
export const thePackage = (): Promise<string> => (made ??= packageInCache())

async function packageInCache(): Promise<string> {
  const sources = ['debian', 'package', 'prometheus', 'run'].map((folder) => join(ROOT, 'packaging', folder))
  const folder = join(cacheFolder(), `package-${await fingerprint([BUNDLE, ...sources])}`)
  await cached(folder, async (unfinished) => {
    await makePackage(BUNDLE, unfinished)
    await rm(join(unfinished, 'stage'), { recursive: true })
  })
  const name = (await readdir(folder)).find((file) => file.endsWith('.deb'))
  return join(folder, name ?? assert.fail('no package was made'))
}

export class Installed {
  lab!: Lab
  operator!: Client
  password: string = OPERATOR.password
  readonly #kind: Kind | undefined
  /** The machine before anything was installed. */
  untouched!: string[]

  /** Takes a machine of the usual kind by default. */
  constructor(kind?: Kind) {
    this.#kind = kind
  }

  async start(): Promise<void> {
    this.lab = await startLab(this.#kind && { kind: this.#kind })
    this.untouched = await this.picture()
  }

  async startInstalled(): Promise<void> {
    const [path] = await Promise.all([thePackage(), this.start()])
    await this.install(path)
  }

  /** Stops the machine, if one was started. */
  async stop(): Promise<void> {
    await (this.lab as Lab | undefined)?.stop()
  }

  /** What apt says; throws with it where apt fails. */
  async install(path: string, ...options: string[]): Promise<string> {
    const to = `/root/${path.split('/').at(-1)}`
    await this.lab.put(to, path)
    return this.apt('install', ...options, to)
  }

  apt(...words: string[]): Promise<string> {
    return this.lab.run(`DEBIAN_FRONTEND=noninteractive apt-get -y ${words.join(' ')} 2>&1`, SLOW)
  }

  /** Reaches the panel from outside the machine, which the loopback address is not. */
  async reach(scheme: 'http' | 'https'): Promise<void> {
    this.operator = new Client(`${(await this.lab.url(8480)).replace('http:', `${scheme}:`)}/${await this.webPath()}/`)
  }

  async signIn(): Promise<void> {
    expect(await this.operator.post('/auth/login', { username: OPERATOR.username, password: this.password }), 200)
  }

  async webPath(): Promise<string> {
    return (await this.lab.run(`sed -n 's/^PANEL_WEB_PATH=//p' ${CONF}`)).trim()
  }

  async property(unit: string, name: string): Promise<string> {
    return (await this.lab.run('systemctl', ['show', '--value', '-p', name, unit])).trim()
  }

  /** The properties of the helper and of the web daemon, several of each in systemd's own order. */
  async properties(...names: string[]): Promise<string[]> {
    return (await this.lab.run('systemctl', ['show', '--value', '-p', names.join(','), ...UNITS])).trim().split(/\n+/)
  }

  processes(): Promise<string[]> {
    return this.properties('MainPID')
  }

  /** The indexes of the tunnels' links, which stay the same for the same links. */
  linkIndexes(): Promise<string> {
    return this.lab.run("ip -o link | grep -o '^[0-9]*: gre-a-[0-9]*'")
  }

  /**
   * What `tunnel-panel status` shows once both daemons are well: on a busy machine a reading may be late. Tunnels of the
   * lab need not be up, since nothing answers at their other ends.
   */
  async isWell(): Promise<string> {
    return (
      await becomes(
        () => this.lab.try('tunnel-panel status', SLOW),
        ({ stdout }) =>
          /^tunnel-panel-helper +active\ntunnel-panel-web +active\nHealth of the panel: ok$/m.test(stdout),
      )
    ).stdout
  }

  /** After a boot: both daemons are there again, and the operator is signed in. */
  async settles(): Promise<void> {
    await becomes(
      async () => (await this.lab.try('systemctl', ['is-active', ...UNITS])).stdout,
      (states) => states === 'active\nactive\n',
    )
    await this.signIn()
  }

  /** How each tunnel and relay rule compares with what is stored. */
  async statuses(): Promise<string[]> {
    const { items, routes } = expect(await this.operator.get<ReconcileAnswer>('/reconcile'), 200)
    return [
      ...items.map(({ interface_name, status }) => `${interface_name} ${status}`),
      ...routes.map(({ route_rule_id, status }) => `${route_rule_id} ${status}`),
    ]
  }

  /**
   * Everything that a package could leave, but for the links that the kernel's own modules bring: files by name and
   * size, users, packages, units, tables, links.
   */
  async picture(): Promise<string[]> {
    const others = [
      '/etc/passwd-',
      '/etc/group-',
      '/etc/shadow-',
      '/etc/gshadow-',
      '/etc/.pwd.lock',
      '/var/lib/dpkg',
      '/var/lib/apt',
      '/var/cache',
      '/var/log',
      '/var/lib/systemd/random-seed',
      '/var/lib/systemd/timers',
      "'/var/tmp/systemd-private-*-systemd-logind.service-*'",
    ]
    const files = `find /etc /usr /var /run/tunnel-panel -xdev \\( ${others.map((path) => `-path ${path}`).join(' -o ')} \\) -prune -o -type f -printf '%p %m %U %G %s\\n' -o -type l -printf '%p -> %l\\n' -o -type d -printf '%p/ %m %U %G\\n' 2>/dev/null | sort`
    const records =
      "cat /etc/passwd /etc/group /etc/shadow /etc/gshadow; dpkg-query -W -f '${Package} ${Status}\\n'; debconf-show tunnel-panel; systemctl list-unit-files --no-legend --no-pager"
    const kernel =
      'nft list tables; ip -br link | sed "s/[@ ].*//" | grep -Ev "^(gre0|gretap0|erspan0|ip6gre0|ip6tnl0)$"'
    return (await this.lab.run([files, records, kernel].join('\n'), SLOW)).split('\n')
  }
}
