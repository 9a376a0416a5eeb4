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

interface Requested {
  readonly title: string
  readonly lanes: readonly Lane[]
  readonly measured: Measured
  readonly figure: Figure
  readonly unit: (value: number) => string
  readonly aim?: AimOf
}

function section({ title, lanes, measured, figure, unit, aim }: Requested): Section {
  const rows = lanes
    .filter(({ key }) => measured.has(key))
    .map(({ key, what }) => ({
      what,
      median: unit(median(measured.of(key, figure))),
      ratio: key === 'plain' ? 'reference' : `× ${measured.ratio(key, 'plain', figure).toFixed(3)}`,
      ...aim?.(key, measured),
    }))
  return { title: `relay: ${title}; ${measured.rounds} rounds`, rows }
}

/** `key` against `other` is at least so much. */
function aimed(
  measured: Measured,
  figure: Figure,
  [key, other]: readonly [string, string],
  bound: number,
  says: string,
): Aimed {
  if (!measured.has(key) || !measured.has(other)) return {}
  const ratio = measured.ratio(key, other, figure)
  return {
    aim: `≥ ${bound} ${says}: ${ratio.toFixed(2)}`,
    isMet: ratio >= bound,
  }
}

const rateAim: AimOf = (key, measured) => {
  if (key === PANEL) return aimed(measured, perSecond, [key, 'hand'], 0.92, 'of one rule by hand')
  if (key.startsWith(`panel ${SIZES.at(-1)} `))
    return aimed(measured, perSecond, [key, 'panel 1 first'], 0.95, 'of 1 rule')
  return {}
}

const streamAim: AimOf = (key, measured) =>
  key.startsWith('panel') && key.endsWith('last')
    ? aimed(measured, gigabits, [key, 'plain'], 0.9, 'of plain routing')
    : {}

export const connectionsSection = (lanes: readonly Lane[], measured: Measured): Section =>
  section({
    title: 'new connections a second, a byte there and back on each',
    lanes,
    measured,
    figure: perSecond,
    unit: thousands,
    aim: rateAim,
  })

export const datagramsSection = (lanes: readonly Lane[], measured: Measured): Section =>
  section({
    title: 'UDP packets a second of one flow, counted by the server',
    lanes,
    measured,
    figure: perSecond,
    unit: thousands,
    aim: rateAim,
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
  }),
]

export const latencySection = (lanes: readonly Lane[], measured: Measured): Section =>
  section({
    title: 'a round trip on a connection that stands',
    lanes: shown(lanes),
    measured,
    figure: roundTripUs,
    unit: (value) => `${value.toFixed(1)} us`,
  })

const shown = (lanes: readonly Lane[]): Lane[] => lanes.filter(({ key }) => ['plain', 'hand', PANEL].includes(key))
