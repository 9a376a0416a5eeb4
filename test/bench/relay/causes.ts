// What it costs to know how the rules are, and how soon what stops them is shown, at each size: the shipped daemons on
// this host's kernel.
import type { Answer, Costs, Job } from '../driver/jobs.ts'
import { median } from '../figures.ts'
import { driven, type Programs } from '../programs.ts'
import { ms, timed, type Row, type Section } from '../table.ts'
import { WEB_URL, type Panel } from './panel.ts'
import { rulesOf } from './rules.ts'
import { seedRules } from './seed.ts'
import type { Relay } from './stage.ts'

/** Milliseconds of processor time, in a second at rest of each daemon, and of both in a pass. */
const AIMS: Readonly<Record<number, { readonly rest?: Costs; readonly pass: number }>> = {
  1000: { pass: 60 },
  10_000: { rest: { web: 40, helper: 20 }, pass: 400 },
}
const SHOWN = { says: '< 3000 ms', below_ms: 3000 }

export async function causesSection(panel: Panel, programs: Programs, count: number): Promise<Section> {
  const { relay, socket } = panel
  await seedRules(panel.store, rulesOf(relay, count))
  await panel.startWeb()
  const job: Job<'causes'> = { panel: { url: WEB_URL, socket }, breaks: breaksOf(relay) }
  return sectionOf(count, await driven(programs, relay.network, 'causes', job))
}

function breaksOf({ number, address }: Relay): Job<'causes'>['breaks'] {
  const [near, far] = [`${address}/24`, `10.9.${number}`]
  const forwarding = (on: 0 | 1): string => `echo ${on} > /proc/sys/net/ipv4/conf/near/forwarding`
  return [
    {
      code: 'FOREIGN_DROP',
      how: [
        'nft add table ip wall',
        'nft add chain ip wall gate "{ type filter hook forward priority 7; policy drop; }"',
      ],
      mended: ['nft delete table ip wall'],
    },
    { code: 'LISTENER_ABSENT', how: [`ip addr del ${near} dev near`], mended: [`ip addr add ${near} dev near`] },
    {
      code: 'NO_ROUTE',
      how: [`ip route del ${far}.0/24`],
      mended: [`ip route add ${far}.0/24 dev far src ${far}.1`],
    },
    { code: 'FORWARDING_OFF', how: [forwarding(0)], mended: [forwarding(1)] },
  ]
}

function sectionOf(count: number, { rest, passes, seen }: Answer<'causes'>): Section {
  const aims = AIMS[count]
  const both = median(passes.map(({ helper, web }) => helper + web))
  return {
    title: `causes: ${count.toLocaleString('en')} rules beside 300 of other software`,
    rows: [
      costRow('processor time of the web daemon for a second in which nobody asks', rest.web, aims?.rest?.web),
      costRow('processor time of the root helper for a second in which nobody asks', rest.helper, aims?.rest?.helper),
      costRow('processor time of both for a pass after the ruleset changed', both, aims?.pass),
      { what: '  of that, the web daemon', median: ms(median(passes.map(({ web }) => web))) },
      ...seen.flatMap(({ code, shown, gone }) => [
        { ...timed(`${code} is an incident`, shown, undefined, SHOWN), ratio: '' },
        { ...timed(`${code} is gone`, gone, undefined, SHOWN), ratio: '' },
      ]),
    ],
  }
}

const costRow = (what: string, cost: number, most?: number): Row => ({
  what,
  median: ms(cost),
  ...(most !== undefined && { aim: `<= ${ms(most)}`, isMet: cost <= most }),
})
