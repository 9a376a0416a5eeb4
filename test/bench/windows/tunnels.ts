// GRE tunnels in a window, on the lab's kernel: changed, and put back.
import type { Answer } from '../driver/jobs.ts'
import { median } from '../figures.ts'
import type { Programs } from '../programs.ts'
import { ms, timed, type Section } from '../table.ts'
import { PANEL } from '../../vm/panel/bundles.ts'
import { Panel } from '../../vm/panel/panel.ts'
import { startLab } from '../../vm/lab/index.ts'

const COUNT = 100
const ROUNDS = { warm_up: 1, rounds: 5, budget_ms: 180_000, fewest: 3 }
const DRIVERS = '/opt/bench'
const DRIVER_MS = 400_000

export async function windowedTunnels(programs: Programs): Promise<Section> {
  console.error(`windows: ${COUNT} tunnels`)
  const lab = await startLab()
  try {
    await lab.put(PANEL, programs.panel)
    await lab.put(DRIVERS, programs.drivers)
    const { a, b } = await lab.twoServers()
    const panel = new Panel(a)
    await panel.startHelper()
    const ends = { local_endpoint: a.address, remote_endpoint: b.address }
    const job = { panel: { url: '', socket: panel.socket }, ends, count: COUNT, rounds: ROUNDS }
    const output = await a.run('node', [`${DRIVERS}/windows.cjs`, JSON.stringify(job)], { timeoutMs: DRIVER_MS })
    return sectionOf(JSON.parse(output) as Answer<'windows'>)
  } finally {
    await lab.stop()
  }
}

function sectionOf({ plain, kept, one, all }: Answer<'windows'>): Section {
  const aim = (below_ms: number) => ({ says: `< ${ms(below_ms)}`, below_ms })
  return {
    title: `windows: GRE tunnels in the lab; ${plain.length} rounds`,
    rows: [
      timed('the far end of one changed by the helper', plain),
      timed('the same in a window, its way back rehearsed', kept, plain, aim(median(plain) + 10)),
      timed('one put back and read back', one, plain, aim(100)),
      timed(`${COUNT} put back and read back`, all, plain, aim(2000)),
    ],
  }
}
