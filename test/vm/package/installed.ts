// The Debian package in the lab's machine: what apt and dpkg do with it, and the panel that it is, reached from here.
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '../../../packaging/build/build.ts'
import { makePackage } from '../../../packaging/package/package.ts'
import { Client } from '../../api/support/client.ts'
import type { Lab } from '../lab/index.ts'
import { OPERATOR } from '../panel/panel.ts'

export const UNITS = ['tunnel-panel-helper.service', 'tunnel-panel-web.service']
export const CONF = '/etc/tunnel-panel/panel.conf'
/** apt, dpkg and two starts of node on an emulated processor. */
export const SLOW = { timeoutMs: 420_000 }

let made: Promise<string> | undefined
export const thePackage = (): Promise<string> => (made ??= makePackage())

/** The package of a next release: the same under a higher version, with one migration more (driver/next-migration.ts). */
export async function nextPackage(version: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'panel-package-'))
  try {
    const tree = join(folder, 'tree')
    execFileSync('dpkg-deb', ['--raw-extract', await thePackage(), tree])
    const control = join(tree, 'DEBIAN/control')
    await writeFile(control, (await readFile(control, 'utf8')).replace(/^Version: .*$/m, `Version: ${version}`))
    for (const [name, program] of [['web', 'web.cjs'], ['command', 'tunnel-panel.cjs']] as const) {
      await bundle(`test/vm/driver/next-${name}.ts`, join(folder, program))
      await copyFile(join(folder, program), join(tree, 'usr/lib/tunnel-panel', program))
    }
    const built = join(tmpdir(), `tunnel-panel_${version}_amd64.deb`)
    execFileSync('dpkg-deb', ['--root-owner-group', '--build', tree, built], { stdio: 'ignore' })
    return built
  } finally {
    await rm(folder, { recursive: true })
  }
}

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

  apt(...words: string[]): Promise<string> {
    return this.lab.run(`DEBIAN_FRONTEND=noninteractive apt-get -y ${words.join(' ')} tunnel-panel 2>&1`, SLOW)
  }

  /** Reached from outside the machine, which the loopback address is not. */
  async open(): Promise<void> {
    await this.lab.run(`sed -i 's/^PANEL_LISTEN_ADDRESS=.*/PANEL_LISTEN_ADDRESS=0.0.0.0/' ${CONF} && systemctl restart tunnel-panel-web`, SLOW)
    this.operator = new Client(`${await this.lab.url(8480)}/${await this.webPath()}/`)
  }

  async signIn(): Promise<void> {
    const { status, text } = await this.operator.post('/auth/login', OPERATOR)
    if (status !== 200) throw new Error(text)
  }

  async webPath(): Promise<string> {
    return (await this.lab.run(`sed -n 's/^PANEL_WEB_PATH=//p' ${CONF}`)).trim()
  }

  async property(unit: string, name: string): Promise<string> {
    return (await this.lab.run('systemctl', ['show', '--value', '-p', name, unit])).trim()
  }

  /** Everything that a package could leave, but for what the kernel's modules bring with them: files by name and size, users, units, tables, and the sysctls of forwarding. */
  async picture(): Promise<string[]> {
    const elsewhere = ['/etc/passwd-', '/etc/group-', '/etc/shadow-', '/etc/gshadow-', '/etc/.pwd.lock', '/var/lib/dpkg', '/var/lib/apt', '/var/lib/systemd', '/var/cache', '/root'].map((path) => `-path ${path}`).join(' -o ')
    const files = `find /etc /usr /var /run/tunnel-panel /opt -xdev \\( ${elsewhere} -o -path /var/log \\) -prune -o -type f -printf '%p %m %U %G %s\\n' -o -type l -printf '%p -> %l\\n' -o -type d -printf '%p/ %m %U %G\\n' 2>/dev/null | sort`
    const rest = 'nft list tables; cat /etc/passwd /etc/group /etc/shadow /etc/gshadow; systemctl list-unit-files --no-legend --no-pager; ip -br link | sed "s/[@ ].*//" | grep -Ev "^(gre0|gretap0|erspan0|ip6gre0|ip6tnl0)$"'
    return (await this.lab.run(`${files}; ${rest}`, SLOW)).split('\n')
  }
}
