// Docker's own daemon in the namespace of a relay. Its programs are unpacked, not installed: an installed docker would
// start by itself and write into the ruleset of this host.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { request } from 'node:http'
import { join, resolve } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { namespaceOf } from './own-namespace.ts'
import type { RelayRig } from './relay-rig.ts'

const UNPACKED = resolve('.build/docker')
const PACKAGES = ['docker.io', 'containerd', 'runc']

/** Whether the API answers, which it does once the rules of its networks are in place. */
const answers = (socketPath: string): Promise<boolean> =>
  new Promise((settle) => {
    const reply = (isOk: boolean) => () => settle(isOk)
    request({ socketPath, path: '/_ping', timeout: 1000 }, reply(true)).on('error', reply(false)).end()
  })

/** Downloads Debian's packages once; throws where there is no apt or no mirror. */
function unpack(): void {
  if (existsSync(UNPACKED)) return
  const folder = `${UNPACKED}.new`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  // The user that apt downloads as may not write here, and apt warns of it.
  const download = () =>
    execFileSync('apt-get', ['download', '-qq', '-o', 'APT::Sandbox::User=root', ...PACKAGES], { cwd: folder })
  try {
    download()
  } catch {
    execFileSync('apt-get', ['update', '-qq'])
    download()
  }
  execFileSync('sh', ['-c', 'for package in *.deb; do dpkg -x "$package" . && rm "$package"; done'], { cwd: folder })
  renameSync(folder, UNPACKED)
}

export class Docker {
  #daemon: ChildProcess | null = null
  readonly #rig: RelayRig
  constructor(rig: RelayRig) {
    this.#rig = rig
  }

  /** Starts it with images, sockets and processes in the rig's folder. */
  async start(): Promise<void> {
    unpack()
    const { folder, relay } = this.#rig
    const socket = join(folder, 'docker.sock')
    rmSync(socket, { force: true })
    this.#daemon = spawn(
      'nsenter',
      [
        `--net=${namespaceOf(relay.child)}`,
        join(UNPACKED, 'usr/sbin/dockerd'),
        ...['--data-root', join(folder, 'docker'), '--exec-root', join(folder, 'docker-run')],
        ...['--host', `unix://${socket}`, '--pidfile', join(folder, 'docker.pid'), '--storage-driver', 'vfs'],
      ],
      {
        stdio: process.env['PANEL_SHOW_LOG'] ? 'inherit' : 'ignore',
        env: { ...process.env, PATH: `${UNPACKED}/usr/bin:${UNPACKED}/usr/sbin:${process.env['PATH'] ?? ''}` },
      },
    )
    await eventually(() => answers(socket), 'Docker answers')
  }

  async stop(): Promise<void> {
    const daemon = this.#daemon
    if (daemon?.exitCode !== null || daemon.signalCode !== null) return
    daemon.kill('SIGTERM')
    await once(daemon, 'exit')
  }
}
