// A panel on one server of the lab: the shipped helper as root and the shipped web daemon as a user without
// capabilities.
import { Client, type Reply } from '../../api/support/client.ts'
import type { MethodName, Params, Result } from '@panel/shared/rpc/methods.ts'
import type { Lab, Server } from '../lab/index.ts'
import type { Running } from '../lab/running.ts'
import { HELPER_FLAGS, WEB_FLAGS } from '../../../packaging/run/node-flags.ts'
import { PANEL, putPanel } from './bundles.ts'

/** No account of the machine has this number. */
const WEB_UID = 61_184
const AS_NOBODY = [
  `--reuid=${WEB_UID}`,
  `--regid=${WEB_UID}`,
  '--clear-groups',
  '--bounding-set=-all',
  '--inh-caps=-all',
  '--ambient-caps=-all',
  '--no-new-privs',
]
const READY_MS = 900_000

export const OPERATOR = { username: 'operator', password: 'correct horse battery' } as const

/** Which helper to run: the shipped one unless a driver is named, with the fault that its environment asks for. */
export interface HelperChoice {
  readonly script?: string
  readonly env?: Record<string, string>
}

/** One of the two servers, or the machine as a whole. */
export type Place = Pick<Server, 'name' | 'url' | 'run' | 'try' | 'spawn'>

export const wholeMachine = async (lab: Lab): Promise<Place> => ({
  name: 'lab',
  url: await lab.url(8480),
  run: lab.run.bind(lab),
  try: lab.try.bind(lab),
  spawn: lab.spawn.bind(lab),
})

/** The panel on a machine of its own, set up, with its files where boot reads them. */
export async function startOnDisk(lab: Lab): Promise<Panel<Place>> {
  const panel = new Panel(await wholeMachine(lab), ON_DISK)
  await putPanel(lab)
  await panel.startHelper()
  await panel.startWeb({ PANEL_LISTEN_ADDRESS: '0.0.0.0' })
  await panel.setUp()
  return panel
}

/** The folders for the panel's own files, and for the files of boot: by default those of boot are read by nothing. */
export interface Folders {
  readonly folder: string
  readonly unitDir: string
  readonly networkdDir: string
  readonly sysctlDir: string
}

/**
 * The folders of a panel on the whole machine: all of it is there after a reboot, and boot reads what it has to read.
 */
export const ON_DISK: Folders = {
  folder: '/var/lib/panel-lab',
  unitDir: '/etc/systemd/system',
  networkdDir: '/etc/systemd/network',
  sysctlDir: '/etc/sysctl.d',
}

export class Panel<P extends Place = Server> {
  readonly server: P
  readonly folder: string
  readonly unitDir: string
  readonly networkdDir: string
  readonly sysctlDir: string
  readonly operator: Client
  helper!: Running
  web!: Running

  constructor(
    server: P,
    {
      folder = `/run/panel-${server.name}`,
      unitDir = `${folder}/units`,
      networkdDir = `${folder}/network`,
      sysctlDir = `${folder}/sysctl`,
    }: Partial<Folders> = {},
  ) {
    this.server = server
    this.folder = folder
    this.unitDir = unitDir
    this.networkdDir = networkdDir
    this.sysctlDir = sysctlDir
    this.operator = new Client(`${server.url}/`)
  }

  get socket(): string {
    return `${this.folder}/helper.sock`
  }

  async startHelper({ script = `${PANEL}/helper.cjs`, env = {} }: HelperChoice = {}): Promise<void> {
    const own = {
      PANEL_HELPER_SOCKET: this.socket,
      PANEL_HELPER_GROUP: `${WEB_UID}`,
      PANEL_UNIT_DIR: this.unitDir,
      PANEL_NETWORKD_DIR: this.networkdDir,
      PANEL_SYSCTL_DIR: this.sysctlDir,
      PANEL_HELPER_STATE_DIR: `${this.folder}/state`,
    }
    this.helper = this.server.spawn('node', [...HELPER_FLAGS, script], { env: { ...own, ...env } })
    await this.helper.says(/listening/, READY_MS)
  }

  async startWeb(more: Record<string, string> = {}): Promise<void> {
    const state = `${this.folder}/web`
    await this.server.run(`test -d ${state} || install -d -o ${WEB_UID} -g ${WEB_UID} -m 0700 ${state}`)
    const env = { PANEL_STATE_DIR: state, PANEL_HELPER_SOCKET: this.socket, ...more }
    this.web = this.server.spawn('setpriv', [...AS_NOBODY, 'node', ...WEB_FLAGS, `${PANEL}/web.cjs`], { env })
    await this.web.says(/The panel is at/, READY_MS)
  }

  async start(): Promise<this> {
    await this.startHelper()
    await this.startWeb()
    return this
  }

  /** Replaces the helper, like after a crash, or by one with a fault. */
  async replaceHelper(choice: HelperChoice = {}): Promise<void> {
    this.helper.kill('KILL')
    await this.helper.exited
    await this.startHelper(choice)
  }

  async setUp(): Promise<void> {
    expect(await this.operator.post('/auth/setup', OPERATOR), 201)
  }

  /** A question to the helper by hand, as an administrator asks it. */
  async request<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>> {
    const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await this.server.run('socat', ['-t', '30', '-', `UNIX-CONNECT:${this.socket}`], {
      stdin: `${line}\n`,
    })
    const { result, error } = JSON.parse(answer) as { result?: Result<M>; error?: { message: string } }
    if (result === undefined) throw new Error(`${method}: ${error?.message}`)
    return result
  }

  /** Programs that the helper starts while `work` goes on, by the system calls it makes. */
  async startedWhile(lab: Lab, work: () => Promise<unknown>): Promise<string[]> {
    const { helper } = await this.request('host.probe', { parts: ['helper'] })
    const tracer = lab.spawn('strace', ['-f', '-e', 'trace=execve,execveat', '-p', `${helper?.pid}`])
    await tracer.says(/attached/)
    await work()
    tracer.kill('INT')
    await tracer.exited
    return tracer
      .text('stderr')
      .split('\n')
      .filter((line) => line.includes('execve'))
  }

  /**
   * All that a change may touch, as text: links with every detail but what a new link cannot keep, and the files byte
   * for byte.
   */
  async picture(): Promise<string> {
    const seen = await this.server.run(
      `ip -d -j address show && mkdir -p ${this.unitDir} && cd ${this.unitDir} && find . -type f -exec sha256sum {} + | sort; find . -type l -printf '%p %l\\n' | sort`,
    )
    const [list = '', ...files] = seen.split('\n')
    const links = JSON.parse(list) as (Record<string, unknown> & { readonly ifname: string })[]
    const kept = links
      .map(({ ifindex: _index, stats64: _stats, addr_info, ...link }) => ({
        ...link,
        addr_info: (addr_info as { scope: string }[]).filter((a) => a.scope !== 'link'),
      }))
      .sort((a, b) => (a.ifname < b.ifname ? -1 : 1))
    return `${JSON.stringify(kept, null, 1)}\n${files.join('\n')}`
  }
}

/** Answers with the body, or throws with everything that came instead. */
export function expect<B>(reply: Reply<B>, status: number): B {
  if (reply.status !== status) throw new Error(`${status} was expected, and ${reply.status} came: ${reply.text}`)
  return reply.body
}
