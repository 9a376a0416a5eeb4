// Changes of one rule under traffic through two others: what is lost, against what the server counted, and who had to
// wait.
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { Helper } from '../driver/helper.ts'
import { median } from '../figures.ts'
import { ms, type Row, type Section } from '../table.ts'
import { rulesetText } from '@panel/shared/ruleset/nft/render.ts'
import type { Load, Seen } from './load.ts'
import { portOf, rulesOf } from './rules.ts'
import { applied, type Panel } from './panel.ts'
import type { Relay } from './stage.ts'

const MOST = { changes: 100, budget_ms: 40_000 }
const MOST_ANEW = { changes: 20, budget_ms: 10_000 }
/** So that nothing is lost for want of a processor. */
const DATAGRAMS_A_SECOND = 5000
const CONNECTIONS_A_SECOND = 200
const WINDOW_MS = 1500
/** The size of a datagram of load.c in the kernel's counters: with the headers of IP and UDP. */
const DATAGRAM_BYTES = 64 + 28

interface Borne {
  readonly times: number[]
  readonly datagrams: readonly Seen[]
  readonly connections: readonly Seen[]
}

/** Traffic goes on until all is changed, or the time is up. */
async function underTraffic(
  load: Load,
  relay: Relay,
  count: number,
  change: (turn: number) => Promise<number>,
  { changes, budget_ms }: typeof MOST,
): Promise<Borne> {
  const times: number[] = []
  let isOver = false
  const changing = async (): Promise<void> => {
    const until = performance.now() + budget_ms
    while (times.length < changes && performance.now() < until) times.push(await change(times.length))
  }
  const windows = async (kind: 'datagrams' | 'connections', port: number, aSecond: number): Promise<Seen[]> => {
    const seen: Seen[] = []
    do seen.push(await load.measure(kind, { address: relay.address, port }, WINDOW_MS, aSecond))
    while (!isOver)
    return seen
  }
  const flows = Promise.all([
    windows('datagrams', portOf(1), DATAGRAMS_A_SECOND),
    windows('connections', portOf(count), CONNECTIONS_A_SECOND),
  ])
  await changing().finally(() => (isOver = true))
  const [datagrams, connections] = await flows
  return { times, datagrams, connections }
}

const total = (seen: readonly Seen[], figure: 'sent' | 'had' | 'failed' | 'opening'): number =>
  seen.reduce((sum, one) => sum + one[figure], 0)
/** All that came through the rule: its counter has the datagrams that open a flow too. */
const bytesOf = (seen: readonly Seen[]): number => (total(seen, 'had') + total(seen, 'opening')) * DATAGRAM_BYTES
const p99 = ({ connections }: Borne): number => median(connections.map(({ p99_ms }) => p99_ms))

/** The rule in the middle goes to another port of the server each time. */
function middle(rules: readonly RelayRule[], turn: number): RelayRule {
  const rule = rules[rules.length >> 1]
  if (!rule) throw new Error('There is no rule to change')
  return { ...rule, destinations: rule.destinations.map((one) => ({ ...one, port: one.port + (turn % 2) })) }
}

export async function changesSection(load: Load, panel: Panel, bare: Relay, count: number): Promise<Section> {
  const quiet = await underTraffic(load, panel.relay, count, async () => 0, { changes: 0, budget_ms: 0 })
  const helper = await Helper.at(panel.socket)
  const rules = rulesOf(panel.relay, count)
  const counted = async (): Promise<number> =>
    (await helper.request('ruleset.counters', { route_rule_ids: [1], from_id: 0 })).result.counters[0]?.tx_bytes ?? 0
  const before = await counted()
  const ours = await underTraffic(
    load,
    panel.relay,
    count,
    (turn) => applied(helper, [middle(rules, turn)], [middle(rules, turn + 1)]),
    MOST,
  )
  const missed = bytesOf(ours.datagrams) - ((await counted()) - before)
  const reloaded = await loadedAnew(load, bare, count)
  return {
    title: `relay: ${ours.times.length} changes of one of ${count.toLocaleString('en')} rules, while others carry ${DATAGRAMS_A_SECOND.toLocaleString('en')} datagrams and ${CONNECTIONS_A_SECOND} new connections a second`,
    rows: [
      { what: 'one change by the helper, verified', median: ms(median(ours.times)) },
      none(
        'datagrams lost',
        total(ours.datagrams, 'sent') - total(ours.datagrams, 'had'),
        total(ours.datagrams, 'sent'),
      ),
      none('bytes that the rule’s counter did not count', missed, bytesOf(ours.datagrams)),
      none('connections failed', total(ours.connections, 'failed'), total(ours.connections, 'sent')),
      { what: 'a new connection, 99th percentile, undisturbed', median: ms(p99(quiet)), ratio: 'reference' },
      {
        what: 'a new connection, 99th percentile, meanwhile',
        median: ms(p99(ours)),
        ratio: `× ${(p99(ours) / p99(quiet)).toFixed(2)}`,
      },
      {
        what: 'the table deleted and loaded again, counters read before: bytes not counted',
        median: `${reloaded.lost_percent.toFixed(1)} %`,
      },
      {
        what: '  a new connection, 99th percentile, meanwhile',
        median: ms(p99(reloaded.borne)),
        ratio: `× ${(p99(reloaded.borne) / p99(quiet)).toFixed(2)}`,
      },
    ],
  }
}

const none = (what: string, lost: number, of: number): Row => ({
  what: `${what}, of ${of.toLocaleString('en')}`,
  median: lost.toLocaleString('en'),
  aim: 'none',
  isMet: lost === 0,
})

/**
 * Changes the table like a program that knows only the whole: it reads what was counted, and in the next transaction
 * begins from nothing.
 */
async function loadedAnew(load: Load, bare: Relay, count: number): Promise<{ borne: Borne; lost_percent: number }> {
  const rules = rulesOf(bare, count)
  const read = async (): Promise<number> =>
    Number(/bytes (\d+)/.exec(await bare.network.run(['nft', 'list counter inet panel rule_1_tx']))?.[1])
  let sum = 0
  const borne = await underTraffic(
    load,
    bare,
    count,
    async () => {
      const started = performance.now()
      sum += await read()
      await bare.nft(`delete table inet panel\n${rulesetText(null, rules)}`)
      return performance.now() - started
    },
    MOST_ANEW,
  )
  const moved = bytesOf(borne.datagrams)
  return { borne, lost_percent: (100 * (moved - sum - (await read()))) / moved }
}
