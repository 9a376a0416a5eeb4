// What the parts on this host's own kernel stand on: a network of their own, the shipped daemons in it, and a store
// with a thousand tunnels.
import { chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { savedFileName } from '@panel/shared/tunnel/saved-file.ts'
import { renderSystemdUnit } from '@panel/shared/tunnel/systemd-unit.ts'
import { stateOf } from '@panel/web-daemon/features/tunnels/record.ts'
import type { Answer, Job, Jobs, Panel } from '../driver/jobs.ts'
import { addressOf, nameOf, NUMBERS, tunnelOf } from '../driver/rows.ts'
import { driven, layOut, type Programs } from '../programs.ts'
import { Namespace } from './namespace.ts'
import { DAEMON_ENVIRONMENT, HELPER_FLAGS, WEB_FLAGS } from '../../../packaging/run/node-flags.ts'

export const COUNT = 1000
export const ENDS = { local_endpoint: '192.0.2.1', remote_endpoint: '192.0.2.2' }
const WEB_UID = 61_184
const URL = 'http://127.0.0.1:8480'

/** Each part has a network and a folder of its own. */
export async function onStage(kind: HelperKind, measure: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'panel-bench-'))
  const namespace = await Namespace.open()
  try {
    await measure(new Bench(namespace, folder, await layOut(folder), kind))
  } finally {
    await namespace.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

type HelperKind = 'helper' | 'stand-in'

export class Bench {
  readonly #namespace: Namespace
  readonly #folder: string
  readonly #programs: Programs
  readonly #kind: HelperKind
  readonly socket: string

  constructor(namespace: Namespace, folder: string, programs: Programs, kind: HelperKind) {
    this.#kind = kind
    this.#namespace = namespace
    this.#folder = folder
    this.#programs = programs
    this.socket = join(folder, 'helper.sock')
  }

  get panel(): Panel {
    return { url: URL, socket: this.socket }
  }

  get namespace(): Namespace {
    return this.#namespace
  }

  get drivers(): string {
    return this.#programs.drivers
  }

  async drive<N extends keyof Jobs>(name: N, job: Job<N>): Promise<Answer<N>> {
    return driven(this.#programs, this.#namespace, name, job)
  }

  /** Each with what a tunnel has: a name, two ends, an address, and it is up. */
  async makeLinks(): Promise<void> {
    const links = NUMBERS(COUNT).flatMap((number) => [
      `link add name ${nameOf(number)} mtu 1472 type vxlan id ${number} local ${ENDS.local_endpoint} remote ${ENDS.remote_endpoint} dstport 4789`,
      `address add ${addressOf(number)}/30 dev ${nameOf(number)}`,
      `link set dev ${nameOf(number)} up`,
    ])
    const host = ['link set lo up', `address add ${ENDS.local_endpoint}/32 dev lo`]
    await this.#namespace.run(['ip', '-batch', '-'], `${[...host, ...links].join('\n')}\n`)
  }

  async seed(persistence_type_id: number): Promise<void> {
    const state = join(this.#folder, 'web')
    const store = join(state, 'panel.db')
    mkdirSync(state)
    const { stored } = await this.drive('seed', { store, count: COUNT, ends: ENDS, persistence_type_id })
    if (stored !== COUNT) throw new Error(`${stored} tunnels are stored where ${COUNT} are due`)
    for (const path of [state, store]) chownSync(path, WEB_UID, WEB_UID)
    // mkdtemp keeps its folder to its maker, and the web daemon is another user.
    chownSync(this.#folder, WEB_UID, WEB_UID)
  }

  async startDaemons(more: NodeJS.ProcessEnv = {}): Promise<void> {
    const standIn = {
      PANEL_BENCH_COUNT: `${COUNT}`,
      PANEL_BENCH_LOCAL: ENDS.local_endpoint,
      PANEL_BENCH_REMOTE: ENDS.remote_endpoint,
    }
    const helperEnv = {
      ...DAEMON_ENVIRONMENT,
      PANEL_HELPER_SOCKET: this.socket,
      PANEL_HELPER_GROUP: `${WEB_UID}`,
      PANEL_HELPER_STATE_DIR: join(this.#folder, 'helper'),
      PANEL_UNIT_DIR: this.#unitDir,
      PANEL_NETWORKD_DIR: join(this.#folder, 'network'),
      PANEL_SYSCTL_DIR: join(this.#folder, 'sysctl.d'),
      ...standIn,
      ...more,
    }
    await this.#namespace.start(
      [
        process.execPath,
        ...profiling(),
        ...HELPER_FLAGS,
        join(this.#kind === 'helper' ? this.#programs.panel : this.#programs.standIn, 'helper.cjs'),
      ],
      helperEnv,
      /listening/,
    )
    const asNobody = [
      `--reuid=${WEB_UID}`,
      `--regid=${WEB_UID}`,
      '--clear-groups',
      '--bounding-set=-all',
      '--inh-caps=-all',
      '--ambient-caps=-all',
      '--no-new-privs',
    ]
    const webEnv = {
      ...DAEMON_ENVIRONMENT,
      PANEL_STATE_DIR: join(this.#folder, 'web'),
      PANEL_HELPER_SOCKET: this.socket,
      ...more,
    }
    await this.#namespace.start(
      ['setpriv', ...asNobody, process.execPath, ...profiling(), ...WEB_FLAGS, join(this.#programs.panel, 'web.cjs')],
      webEnv,
      /The panel is at/,
    )
  }

  /** Enabled ones, as the panel writes them. */
  writeUnits(): void {
    const wants = join(this.#unitDir, 'multi-user.target.wants')
    mkdirSync(wants, { recursive: true })
    for (const number of NUMBERS(COUNT)) {
      const { interface_name, link } = stateOf(tunnelOf(number, ENDS))
      if (!link) throw new Error(`${interface_name} has no link to keep`)
      const unit = savedFileName('systemd_unit', interface_name)
      writeFileSync(join(this.#unitDir, unit), renderSystemdUnit(interface_name, link.config))
      symlinkSync(`../${unit}`, join(wants, unit))
    }
  }

  get #unitDir(): string {
    return join(this.#folder, 'units')
  }
}

/** PANEL_BENCH_PROFILE names a folder that anybody may write to; node leaves a .cpuprofile of each daemon there. */
export function profiling(): string[] {
  const folder = process.env['PANEL_BENCH_PROFILE'] ?? ''
  return folder === '' ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`]
}
