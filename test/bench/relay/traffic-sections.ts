// The sections of the table that speak of packets: rates, what a gigabyte costs, and round trips, each beside plain
// routing.
import { median } from '../figures.ts'
import type { Row, Section } from '../table.ts'
import { SIZES, type Lane } from './layouts.ts'
import type { Seen } from './load.ts'
import { perSecond, type Measured } from './traffic.ts'

type Figure = (seen: Seen) => number
type Aimed = Pick<Row, 'aim' | 'isMet'>
/** What a row is to reach, where it is to reach anything. */
type AimOf = (key: string, measured: Measured) => Aimed

const thousands = (value: number): string => Math.round(value).toLocaleString('en')
const gigabits: Figure = ({ done, ms }) => (done * 8) / ms / 1e6
const processorMs: Figure = ({ done, used_ms }) => (used_ms * 1e9) / done
const roundTripUs: Figure = ({ p50_ms }) => p50_ms * 1000
const PANEL = 'panel 1000 last'
const USER_SPACE = ['haproxy', 'nginx']

interface Asked {
  readonly title: string
  readonly lanes: readonly Lane[]
  readonly measured: Measured
  readonly figure: Figure
  readonly unit: (value: number) => string
  readonly aim: AimOf
}

function section({ title, lanes, measured, figure, unit, aim }: Asked): Section {
  const rows = lanes
    .filter(({ key }) => measured.has(key))
    .map(({ key, what }) => ({
      what,
      median: unit(median(measured.of(key, figure))),
      ratio: key === 'plain' ? 'reference' : `× ${measured.ratio(key, 'plain', figure).toFixed(3)}`,
      ...aim(key, measured),
    }))
  return { title: `relay: ${title}; ${measured.rounds} rounds`, rows }
}

/** `key` against `other` is at least, or at most, so much. */
function aimed(
  measured: Measured,
  figure: Figure,
  [key, other]: readonly [string, string],
  sign: '≥' | '≤',
  bound: number,
  says: string,
): Aimed {
  if (!measured.has(key) || !measured.has(other)) return {}
  const ratio = measured.ratio(key, other, figure)
  return {
    aim: `${sign} ${bound} ${says}: ${ratio.toFixed(ratio < 10 ? 2 : 0)}`,
    isMet: sign === '≥' ? ratio >= bound : ratio <= bound,
  }
}

/** How many times the last of so many rules is to be quicker here than where one rule is looked at after the other. */
const TIMES: Readonly<Record<'connections' | 'datagrams', Readonly<Record<number, number>>>> = {
  connections: { 1000: 7, 10_000: 60 },
  datagrams: { 1000: 12, 10_000: 120 },
}

const rateAim =
  (kind: 'connections' | 'datagrams'): AimOf =>
  (key, measured) => {
    const [name, size = '', place] = key.split(' ')
    const beaten = TIMES[kind][Number(size)]
    if ((name === 'linear' || name === 'iptables') && place === 'last' && beaten !== undefined)
      return aimed(measured, perSecond, [`panel ${size} last`, key], '≥', beaten, 'times by this panel')
    if (key === PANEL) return aimed(measured, perSecond, [key, 'hand'], '≥', 0.92, 'of one rule by hand')
    if (name === 'panel' && Number(size) === SIZES.at(-1))
      return aimed(measured, perSecond, [key, 'panel 1 first'], '≥', 0.95, 'of 1 rule')
    return {}
  }

const streamAim: AimOf = (key, measured) => {
  if (USER_SPACE.includes(key)) return aimed(measured, gigabits, [PANEL, key], '≥', 2, 'times by this panel')
  return key.startsWith('panel') && key.endsWith('last')
    ? aimed(measured, gigabits, [key, 'plain'], '≥', 0.9, 'of plain routing')
    : {}
}

const processorAim: AimOf = (key, measured) =>
  USER_SPACE.includes(key) ? aimed(measured, processorMs, [PANEL, key], '≤', 0.6, 'of it by this panel') : {}

/** Of the medians: the difference of two that are nearly the same says nothing in one round. */
const latencyAim: AimOf = (key, measured) => {
  if (!USER_SPACE.includes(key)) return {}
  const added = (of: string): number => median(measured.of(of, roundTripUs)) - median(measured.of('plain', roundTripUs))
  const share = added(PANEL) / added(key)
  return { aim: `≤ 0.2 of what it adds by this panel: ${share.toFixed(2)}`, isMet: share <= 0.2 }
}

/** It comes first, so it is the one to say which programs are missing. */
export function connectionsSection(lanes: readonly Lane[], measured: Measured, missing: readonly string[]): Section {
  const { title, rows } = section({
    title: 'new connections a second, a byte there and back on each',
    lanes,
    measured,
    figure: perSecond,
    unit: thousands,
    aim: rateAim('connections'),
  })
  return { title, rows: [...rows, ...missing.map((what) => ({ what, median: 'not here' }))] }
}

export const datagramsSection = (lanes: readonly Lane[], measured: Measured): Section =>
  section({
    title: 'UDP packets a second of one flow, counted by the server',
    lanes,
    measured,
    figure: perSecond,
    unit: thousands,
    aim: rateAim('datagrams'),
  })

export const streamSections = (lanes: readonly Lane[], measured: Measured): Section[] => [
  section({
    title: 'Gbit/s of one TCP connection, counted by the server',
    lanes,
    measured,
    figure: gigabits,
    unit: (value) => value.toFixed(2),
    aim: streamAim,
  }),
  section({
    title: 'processor time for a gigabyte, of both ends and what is between them',
    lanes: shown(lanes),
    measured,
    figure: processorMs,
    unit: (value) => `${value.toFixed(0)} ms`,
    aim: processorAim,
  }),
]

export const latencySection = (lanes: readonly Lane[], measured: Measured): Section =>
  section({
    title: 'a round trip on a connection that stands',
    lanes: shown(lanes),
    measured,
    figure: roundTripUs,
    unit: (value) => `${value.toFixed(1)} us`,
    aim: latencyAim,
  })

const shown = (lanes: readonly Lane[]): Lane[] =>
  lanes.filter(({ key }) => ['plain', 'hand', PANEL].includes(key) || !key.includes(' '))
