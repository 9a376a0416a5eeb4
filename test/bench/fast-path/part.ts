// Established flows on the fast path and on the slow one, beside plain routing, over a cable and over GRE: on Debian's
// kernel, in an emulated machine whose clock counts its instructions, so that what else this host does changes nothing.
// Each layout is a host of its own, so that a round goes from one to the next without loading anything.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { FLOWTABLE } from '@panel/shared/ruleset/nft/fast-path.ts'
import { rulesetText } from '@panel/shared/ruleset/nft/render.ts'
import { TABLE } from '@panel/shared/ruleset/nft/table.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { startLab, type Lab } from '../../vm/lab/index.ts'
import { median } from '../figures.ts'
import type { Seen } from '../relay/load.ts'
import { portOf, rulesOf, SERVER_PORT } from '../relay/rules.ts'
import type { Row, Section } from '../table.ts'

const LOAD = '/opt/load'
/** The length of a measurement, by the machine's clock. */
const WINDOW_MS = 800
const ROUNDS = 5
/** The aim, as a share of plain routing. */
const AIM = 1.05
const KINDS = { stream: 'one TCP stream', datagrams: 'one flow of datagrams' } as const
type Kind = keyof typeof KINDS
const WAYS = { veth: 'over a cable', gre: 'over GRE' } as const
type Way = keyof typeof WAYS

interface Layout {
  readonly what: string
  /** Null without a host between the ends. */
  readonly rules: number | null
  /** Whether the flow is routed past the rules. */
  readonly is_routed?: boolean
  readonly is_fast_path?: boolean
}

/** The first is the reference: what the same host costs where it relays nothing of the flow. */
const LAYOUTS: readonly Layout[] = [
  { what: 'plain routing, beside a rule of this panel', rules: 1, is_routed: true },
  { what: 'plain routing, on a host that tracks nothing', rules: 0, is_routed: true },
  { what: 'this panel, 1 rule', rules: 1 },
  { what: 'this panel on the fast path, 1 rule', rules: 1, is_fast_path: true },
  { what: 'this panel on the fast path, 10,000 rules, the last', rules: 10_000, is_fast_path: true },
  { what: 'the ends alone, no host between', rules: null, is_routed: true },
]

const near = (at: number): string => `10.${at}.0.1`
const server = (at: number, way: Way): string => (way === 'veth' ? `10.${at}.1.2` : `172.16.${at}.2`)

/** Between client and far, with a cable to each and a tunnel to the far one. */
const hostBetween = (at: number): string => `
ip netns add host${at}
ip -n host${at} link set lo up
ip link add c${at} netns client type veth peer name c netns host${at}
ip -n client address add 10.${at}.0.2/24 dev c${at}; ip -n host${at} address add ${near(at)}/24 dev c
ip -n client link set c${at} up; ip -n host${at} link set c up
ip -n client route add 10.${at}.1.0/24 via ${near(at)}; ip -n client route add 172.16.${at}.0/30 via ${near(at)}
ip netns exec host${at} sysctl -qw net.ipv4.ip_forward=1 net.netfilter.nf_conntrack_acct=1
${farCable(at, `host${at}`)}ip -n far route add 10.${at}.0.0/24 via 10.${at}.1.1
`

const farCable = (at: number, host: string): string => `
ip link add f${at} netns far type veth peer name f netns ${host}
ip -n far address add 10.${at}.1.2/24 dev f${at}; ip -n ${host} address add 10.${at}.1.1/24 dev f
ip -n far link set f${at} up; ip -n ${host} link set f up
ip -n ${host} link add g type gre local 10.${at}.1.1 remote 10.${at}.1.2 key ${at}
ip -n far link add g${at} type gre local 10.${at}.1.2 remote 10.${at}.1.1 key ${at}
ip -n ${host} address add 172.16.${at}.1/30 dev g; ip -n far address add 172.16.${at}.2/30 dev g${at}
ip -n ${host} link set g up; ip -n far link set g${at} up
ip -n far rule add from 172.16.${at}.2 table ${100 + at}; ip -n far route add default dev g${at} table ${100 + at}
`

/** One more leads through the tunnel. */
function rulesFor(at: number, count: number, is_fast_path: boolean): RelayRule[] {
  const rules = rulesOf({ address: near(at), server: server(at, 'veth') }, count)
  const [first] = rules
  if (!first) return []
  const destinations = first.destinations.map((one) => ({ ...one, address: server(at, 'gre') }))
  const through = { ...first, route_rule_id: count + 1, bind_port: portOf(count + 1), destinations }
  return [...rules, through].map((rule) => ({ ...rule, is_fast_path }))
}

async function layOut(lab: Lab, at: number, { rules: count, is_fast_path = false }: Layout): Promise<void> {
  await lab.run(`set -e${count === null ? farCable(at, 'client') : hostBetween(at)}`)
  const rules = rulesFor(at, count ?? 0, is_fast_path)
  if (rules.length === 0) return
  const nft = ['netns', 'exec', `host${at}`, 'nft', '-f', '-']
  await lab.run('ip', nft, { stdin: rulesetText(null, rules), timeoutMs: 300_000 })
  const devices = `add flowtable ${TABLE} ${FLOWTABLE} { hook ingress priority 0; devices = { c, f, g }; counter; }\n`
  if (is_fast_path) await lab.run('ip', nft, { stdin: devices })
}

const placeOf = (at: number, { rules, is_routed }: Layout, way: Way): readonly [address: string, port: number] =>
  rules === null || is_routed ? [server(at, way), SERVER_PORT] : [near(at), portOf(way === 'gre' ? rules + 1 : rules)]

/** What arrived in a millisecond of the machine's clock. */
async function measure(lab: Lab, at: number, layout: Layout, way: Way, kind: Kind): Promise<number> {
  const [address, port] = placeOf(at, layout, way)
  const { done, ms } = await load(lab, kind, address, port, WINDOW_MS)
  if (done === 0) throw new Error(`${layout.what}, ${WAYS[way]}: nothing arrived`)
  return done / ms
}

async function load(lab: Lab, kind: Kind, address: string, port: number, ms: number): Promise<Seen> {
  const words = [kind, '/tmp/counts', `${port}`, address, `${ms}`, '0']
  return JSON.parse(await lab.run('ip', ['netns', 'exec', 'client', LOAD, ...words])) as Seen
}

export async function fastPathPart(tell: (section: Section) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'panel-bench-'))
  try {
    const source = fileURLToPath(new URL('../relay/load.c', import.meta.url))
    await promisify(execFile)('cc', ['-O2', '-static', '-o', join(folder, 'load'), source])
    const lab = await startLab({ kind: 'emulated', size: { processors: 1, clock: 'instructions' } })
    try {
      await lab.put('/opt', folder)
      await lab.run(
        'modprobe nf_conntrack; chmod 755 /opt/load; for name in client far; do ip netns add $name; ip -n $name link set lo up; done',
      )
      for (const [at, layout] of LAYOUTS.entries()) await layOut(lab, at + 1, layout)
      const far = lab.spawn('ip', ['netns', 'exec', 'far', LOAD, 'server', '/tmp/counts', `${SERVER_PORT}`])
      await far.says(/serving/)
      for (const way of Object.keys(WAYS) as Way[])
        for (const kind of Object.keys(KINDS) as Kind[]) tell(await section(lab, way, kind))
    } finally {
      await lab.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function section(lab: Lab, way: Way, kind: Kind): Promise<Section> {
  const rates: number[][] = LAYOUTS.map(() => [])
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [at, layout] of LAYOUTS.entries()) {
      const rate = await measure(lab, at + 1, layout, way, kind)
      if (round > 0) rates[at]?.push(rate)
    }
  return {
    title: `fast path: ${KINDS[kind]} ${WAYS[way]}, for a second of one processor; ${ROUNDS} rounds, on Debian's kernel in the lab`,
    rows: LAYOUTS.map((layout, at) => rowOf(kind, layout, rates[at] ?? [], rates[0] ?? [])),
  }
}

function rowOf(kind: Kind, { what, is_fast_path }: Layout, rates: readonly number[], plain: readonly number[]): Row {
  const rate = median(rates)
  const shown = kind === 'stream' ? `${(rate / 1e3).toFixed(1)} MB` : `${rate.toFixed(1)} k`
  if (rates === plain) return { what, median: shown, ratio: 'reference' }
  const ratio = median(rates.map((one, round) => one / (plain[round] ?? one)))
  return {
    what,
    median: shown,
    ratio: `× ${ratio.toFixed(2)}`,
    ...(is_fast_path && { aim: `≥ ${AIM}`, isMet: ratio >= AIM }),
  }
}
