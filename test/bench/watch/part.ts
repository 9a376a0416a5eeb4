// A thousand tunnels watched every second by the shipped daemons. vxlan stands in for GRE, and its far ends answer.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PERSISTENCE_TYPES } from '@panel/shared/api/base/lookups.ts'
import type { Answer, Schedule } from '../driver/jobs.ts'
import { addressOf, nameOf, NUMBERS, peerOf } from '../driver/rows.ts'
import { median, percentile } from '../figures.ts'
import { Namespace } from '../host/namespace.ts'
import { COUNT, ENDS, onStage } from '../host/stage.ts'
import { mebibytes, ms, type Row, type Section } from '../table.ts'

/** The history of all tunnels is stored once a minute, and that is to be in it. */
const SECONDS = 65
const AIMS = { processor_percent: 15, memory_bytes: 250e6, stall_ms: 50, share_percent: 20 } as const

export async function watchPart(tell: (section: Section) => void): Promise<void> {
  const far = await Namespace.open()
  const stalls = mkdtempSync(join(tmpdir(), 'panel-bench-stalls-'))
  chmodSync(stalls, 0o777)
  try {
    await onStage('helper', async (bench) => {
      await makeTunnels(bench.namespace, far)
      await bench.seed(PERSISTENCE_TYPES.Runtime)
      await bench.startDaemons({
        NODE_OPTIONS: `--require=${join(bench.drivers, 'stalls.cjs')}`,
        PANEL_BENCH_STALLS: stalls,
      })
      tell(sectionOf(await bench.drive('watch', { panel: bench.panel, count: COUNT, seconds: SECONDS, stalls })))
    })
  } finally {
    await far.close()
    rmSync(stalls, { recursive: true, force: true })
  }
}

const macOf = (side: 'a' | 'b', number: number): string =>
  `02:00:00:0${side}:${[number >> 8, number & 255].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`

/**
 * A tunnel has no neighbours to look for; these have them set, for the kernel keeps no two thousand that it found
 * itself.
 */
async function makeTunnels(near: Namespace, far: Namespace): Promise<void> {
  const sides = [
    {
      namespace: near,
      own: 'a',
      other: 'b',
      local: ENDS.local_endpoint,
      remote: ENDS.remote_endpoint,
      address: addressOf,
      peer: peerOf,
    },
    {
      namespace: far,
      own: 'b',
      other: 'a',
      local: ENDS.remote_endpoint,
      remote: ENDS.local_endpoint,
      address: peerOf,
      peer: addressOf,
    },
  ] as const
  await near.run(['ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', `${far.pid}`])
  for (const { namespace, own, other, local, remote, address, peer } of sides) {
    await namespace.run(['sysctl', '-qw', 'net.ipv6.conf.all.disable_ipv6=1', 'net.ipv6.conf.default.disable_ipv6=1'])
    const links = NUMBERS(COUNT).flatMap((number) => [
      `link add name ${nameOf(number)} mtu 1472 address ${macOf(own, number)} type vxlan id ${number} local ${local} remote ${remote} dstport 4789 nolearning`,
      `address add ${address(number)}/30 dev ${nameOf(number)}`,
      `link set dev ${nameOf(number)} up`,
      `neigh add ${peer(number)} lladdr ${macOf(other, number)} dev ${nameOf(number)} nud permanent`,
    ])
    await namespace.run(
      ['ip', '-batch', '-'],
      `${['link set lo up', `address add ${local}/30 dev eth0`, 'link set eth0 up', ...links].join('\n')}\n`,
    )
  }
}

function sectionOf({ processor, memory, stalls, schedule }: Answer<'watch'>): Section {
  const both = (processor.helper + processor.web) / 10
  const stalled = Math.max(stalls.helper.held_ms, stalls.web.held_ms)
  return {
    title: `watch: ${COUNT} tunnels probed every second, vxlan standing in, all answering`,
    rows: [
      {
        what: 'both daemons together, processor',
        median: percent(both),
        ...aimed('of a core', both, AIMS.processor_percent, '%'),
      },
      { what: '  of that, the root helper', median: percent(processor.helper / 10) },
      { what: '  of that, the web daemon', median: percent(processor.web / 10) },
      {
        what: 'both daemons together, the most memory',
        median: mebibytes(memory.helper + memory.web),
        aim: '< 250 MB',
        isMet: memory.helper + memory.web < AIMS.memory_bytes,
      },
      {
        ...shareRow('the panel, largest share of 100 ms in a second', schedule),
        ...aimed('', median(sharesOf(schedule)), AIMS.share_percent, '%'),
      },
      { what: 'longest hold-up of an event loop', median: ms(stalled), ...aimed('', stalled, AIMS.stall_ms, 'ms') },
      {
        what: `  of the root helper, which worked ${ms(stalls.helper.worked_ms)} at a stretch`,
        median: ms(stalls.helper.held_ms),
      },
      {
        what: `  of the web daemon, which worked ${ms(stalls.web.worked_ms)} at a stretch`,
        median: ms(stalls.web.held_ms),
      },
    ],
  }
}

const percent = (figure: number): string => `${figure.toFixed(1)} %`
const aimed = (of: string, figure: number, below: number, unit: string): Pick<Row, 'aim' | 'isMet'> => ({
  aim: `< ${below} ${unit}${of && ` ${of}`}`,
  isMet: figure < below,
})

/** A tenth is as even as it can be. */
const sharesOf = ({ largest, sent }: Schedule): number[] =>
  largest.map((most, at) => (100 * most) / Math.max(1, sent[at] ?? 0))

function shareRow(what: string, schedule: Schedule): Row {
  const shares = sharesOf(schedule)
  return { what, median: percent(median(shares)), p95: percent(percentile(shares, 95)) }
}
