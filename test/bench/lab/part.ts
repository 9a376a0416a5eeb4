// Making tunnels on a real kernel with GRE, in the lab's machine: the drivers run inside it, so no way from here to
// there is measured.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PERSISTENCE_TYPES } from '@panel/shared/api/base/lookups.ts'
import type { Answer, Job, Jobs } from '../driver/jobs.ts'
import { layOut, type Programs } from '../programs.ts'
import { listSection, memorySection } from '../sections.ts'
import type { Section } from '../table.ts'
import { PANEL } from '../../vm/panel/bundles.ts'
import { Panel } from '../../vm/panel/panel.ts'
import { startLab, type Lab, type Server } from '../../vm/lab/index.ts'
import { bootSection } from './boot.ts'
import { createSection, manySection } from './sections.ts'

/** The emulated processor is some thirty times slower than this host's. */
const ROUNDS = { warm_up: 3, rounds: 25, budget_ms: 120_000 }
const LIST_ROUNDS = { warm_up: 2, rounds: 20, budget_ms: 60_000 }
const COUNT = 1000
const SOCKET_BUDGET_MS = 90_000
const HTTP_BUDGET_MS = 60_000
/** The ends of the machine itself, which is none of the two servers. */
const BOOT_ENDS = { local_endpoint: '10.0.2.15', remote_endpoint: '192.0.2.2' }
const DRIVER_MS = 300_000
const WEB_UID = 61_184
const DRIVERS = '/opt/bench'

export const labPart = (tell: (section: Section) => void): Promise<void> =>
  inLab(async (lab, folder) => measure(lab, await layOut(folder), tell))

/**
 * Measures a boot. It is a part of its own, since an emulated machine takes a quarter of an hour to start two thousand
 * programs.
 */
export const bootPart = (tell: (section: Section) => void): Promise<void> =>
  inLab(async (lab, folder) => tell(await bootSection(lab, folder, COUNT, BOOT_ENDS)))

async function inLab(work: (lab: Lab, folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'panel-bench-'))
  try {
    const lab = await startLab({ kind: 'emulated' })
    try {
      await work(lab, folder)
    } finally {
      await lab.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(lab: Lab, programs: Programs, tell: (section: Section) => void): Promise<void> {
  await lab.put(PANEL, programs.panel)
  await lab.put(DRIVERS, programs.drivers)
  const { a, b } = await lab.twoServers()
  const onA = await new Panel(a).start()
  const ends = { local_endpoint: a.address, remote_endpoint: b.address }
  const panel = { url: 'http://127.0.0.1:8480', socket: onA.socket }
  tell(createSection(await drive(a, 'create', { panel, ends, rounds: ROUNDS })))
  await stored(onA, COUNT, ends)
  const bySocket = await drive(a, 'many', { panel, ends, count: COUNT, budget_ms: SOCKET_BUDGET_MS, by: 'socket' })
  if (bySocket.times.length === COUNT)
    await list(a, { panel, count: COUNT, rounds: LIST_ROUNDS, shown: { link: true, unit: false } }, tell)
  for (const daemon of [onA.web, onA.helper]) await ended(daemon)
  const byHttp = await manyByHttp(b, a.address)
  const byIp = await drive(await bare(lab, a), 'many', {
    panel,
    ends,
    count: COUNT,
    budget_ms: SOCKET_BUDGET_MS,
    by: 'ip',
  })
  tell(manySection(COUNT, { ip: byIp.times, socket: bySocket.times, http: byHttp.times }))
}

async function list(server: Server, job: Job<'list'>, tell: (section: Section) => void): Promise<void> {
  const listed = await drive(server, 'list', job)
  tell(listSection(`lab: ${job.count} GRE tunnels listed`, listed))
  tell(memorySection('lab: the most memory that the daemons held meanwhile', listed.memory))
}

async function drive<N extends keyof Jobs>(server: Pick<Server, 'run'>, name: N, job: Job<N>): Promise<Answer<N>> {
  console.error(`lab: ${name}`)
  return JSON.parse(
    await server.run('node', [`${DRIVERS}/${name}.cjs`, JSON.stringify(job)], { timeoutMs: DRIVER_MS }),
  ) as Answer<N>
}

/** The other server's panel, which has nothing in its store yet. */
async function manyByHttp(server: Server, remote_endpoint: string): Promise<Answer<'many'>> {
  const { socket, web, helper } = await new Panel(server).start()
  const job = {
    panel: { url: 'http://127.0.0.1:8480', socket },
    ends: { local_endpoint: server.address, remote_endpoint },
    count: COUNT,
    budget_ms: HTTP_BUDGET_MS,
    by: 'http',
  } as const
  const answer = await drive(server, 'many', job)
  for (const daemon of [web, helper]) await ended(daemon)
  return answer
}

/** Puts the tunnels into the store of a panel whose web daemon rests meanwhile. */
async function stored(panel: Panel, count: number, ends: Job<'seed'>['ends']): Promise<void> {
  const { server, folder } = panel
  await ended(panel.web)
  const { stored: found } = await drive(server, 'seed', {
    store: `${folder}/web/panel.db`,
    count,
    ends,
    persistence_type_id: PERSISTENCE_TYPES.Runtime,
  })
  if (found !== count) throw new Error(`${found} tunnels are stored where ${count} are due`)
  await server.run(`chown -R ${WEB_UID}:${WEB_UID} ${folder}/web`)
  await panel.startWeb()
}

async function ended(daemon: Panel['web']): Promise<void> {
  daemon.kill('TERM')
  await daemon.exited
}

/** A third network, with nothing in it. */
async function bare(lab: Lab, like: Server): Promise<Pick<Server, 'run'>> {
  await lab.run(`ip netns add bare && ip -n bare link set lo up && ip -n bare address add ${like.address}/32 dev lo`)
  return {
    run: (command, args = [], options = {}) =>
      lab.run('ip', ['netns', 'exec', 'bare', command, ...(args as readonly string[])], options),
  }
}
