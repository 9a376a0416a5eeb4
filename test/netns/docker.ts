// Docker's own daemon in the namespace of a relay.
import { spawn, type ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { namespaceOf } from './own-namespace.ts'
import type { RelayRig } from './relay-rig.ts'
import { unpacked } from './unpacked.ts'

const PACKAGES = ['docker.io', 'containerd', 'runc']

/** Whether the API answers, which it does once the rules of its networks are in place. */
const answers = (socketPath: string): Promise<boolean> =>
  new Promise((settle) => {
    const reply = (isOk: boolean) => () => settle(isOk)
    request({ socketPath, path: '/_ping', timeout: 1000 }, reply(true)).on('error', reply(false)).end()
  })

export class Docker {
  #daemon: ChildProcess | null = null
  readonly #rig: RelayRig
  constructor(rig: RelayRig) {
    this.#rig = rig
  }

  /** Starts it with images, sockets and processes in the rig's folder. */
  async start(): Promise<void> {
    const programs = unpacked('docker', PACKAGES)
    const { folder, relay } = this.#rig
    const socket = join(folder, 'docker.sock')
    rmSync(socket, { force: true })
    this.#daemon = spawn(
      'nsenter',
      [
        `--net=${namespaceOf(relay.child)}`,
        join(programs, 'usr/sbin/dockerd'),
        ...['--data-root', join(folder, 'docker'), '--exec-root', join(folder, 'docker-run')],
        ...['--host', `unix://${socket}`, '--pidfile', join(folder, 'docker.pid'), '--storage-driver', 'vfs'],
      ],
      {
        stdio: process.env['PANEL_SHOW_LOG'] ? 'inherit' : 'ignore',
        env: { ...process.env, PATH: `${programs}/usr/bin:${programs}/usr/sbin:${process.env['PATH'] ?? ''}` },
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
