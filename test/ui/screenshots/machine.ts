// The machine of the pictures: as busy as a small relay is, whatever the one is that draws them.
import { FakeHost } from '../../support/fake-host.ts'

const CORES = ['cpu0', 'cpu1']
/** The shares of a hundred ticks a second: programs, kernel and interrupts; the rest is idle. */
const BUSY = { user: 9, system: 5, softirq: 4 }
const ROOT = {
  bsize: 4096,
  blocks: 10_000_000,
  bfree: 7_400_000,
  bavail: 6_900_000,
  files: 2_600_000,
  ffree: 2_480_000,
}

export interface Machine {
  readonly host: FakeHost
  /** A second more. */
  readonly tick: () => void
}

export function startMachine(): Machine {
  const host = new FakeHost()
  host.files.set('/proc/loadavg', '0.31 0.27 0.22 1/104 396\n')
  host.disks.set('/', () => Promise.resolve(ROOT))
  const spent = new Map(
    CORES.map((name) => [name, { user: 400_000, system: 210_000, idle: 9_100_000, softirq: 90_000 }]),
  )
  let [second, rx, tx] = [0, 268_435_456_000, 266_287_972_000]
  const tick = (): void => {
    second += 1
    for (const [at, name] of CORES.entries()) spend(spent.get(name), wave(second + 3 * at))
    const lines = [...spent].map(([name, core]) => statLine(name, [core]))
    host.files.set('/proc/stat', [statLine('cpu', [...spent.values()]), ...lines, 'procs_running 1', ''].join('\n'))
    rx += Math.round(4_300_000 * wave(second))
    tx += Math.round(4_200_000 * wave(second))
    host.traffic({ eth0: [rx, tx], 'gre-a-1': [Math.round(rx * 0.9), Math.round(tx * 0.1)] })
  }
  tick()
  return { host, tick }
}

interface Core {
  user: number
  system: number
  idle: number
  softirq: number
}

/** About 1. */
const wave = (second: number): number => 1 + 0.3 * Math.sin(second / 5)

function spend(core: Core | undefined, share: number): void {
  if (!core) return
  const busy = Object.entries(BUSY).map(([name, ticks]) => [name, Math.round(ticks * share)] as const)
  for (const [name, ticks] of busy) core[name as keyof typeof BUSY] += ticks
  core.idle += 100 - busy.reduce((sum, [, ticks]) => sum + ticks, 0)
}

function statLine(name: string, cores: readonly Core[]): string {
  const sum = (what: keyof Core): number => cores.reduce((all, core) => all + core[what], 0)
  return `${name} ${sum('user')} 0 ${sum('system')} ${sum('idle')} 0 0 ${sum('softirq')} 0 0 0`
}
