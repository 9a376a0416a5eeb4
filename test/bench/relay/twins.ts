// Two relays with the same rules, of which the second has something that the first lacks, measured in turns: what that
// costs new connections, datagrams and a stream.
import type { Rounds } from '../driver/jobs.ts'
import { median } from '../figures.ts'
import type { Row } from '../table.ts'
import type { Lane } from './layouts.ts'
import type { Kind, Load, Seen } from './load.ts'
import { measureAll, perSecond, type Measured } from './traffic.ts'

const WINDOW_MS = 250

type Twins = readonly [without: Lane, withIt: Lane]
export type MeasuredKinds = Readonly<Record<'connections' | 'datagrams' | 'stream', Measured>>

export async function measureKinds(load: Load, lanes: Twins, rounds: Rounds): Promise<MeasuredKinds> {
  const measured = (kind: Kind): Promise<Measured> => measureAll(load, lanes, kind, WINDOW_MS, rounds)
  return {
    connections: await measured('connections'),
    datagrams: await measured('datagrams'),
    stream: await measured('stream'),
  }
}

/** `aim` is the share that is to be left of what goes without. */
export function laneRows(lanes: Twins, { connections, datagrams, stream }: MeasuredKinds, aim: number): Row[] {
  const rows = rowsOf(lanes, aim)
  return [
    ...rows('new connections a second', connections, perSecond, 'least'),
    ...rows('processor time of a new connection, us', connections, perConnection, 'most'),
    ...rows('datagrams a second of one flow', datagrams, perSecond, 'least'),
    ...rows('Mbit/s of one TCP connection', stream, megabits, 'least'),
  ]
}

const perConnection = ({ used_ms, done }: Seen): number => (used_ms * 1000) / done
const megabits = ({ done, ms }: Seen): number => (done * 8) / ms / 1000

const rowsOf =
  ([without, withIt]: Twins, aim: number) =>
  (what: string, measured: Measured, figure: (seen: Seen) => number, is: 'least' | 'most'): Row[] => {
    const middle = ({ key }: Lane): string => Math.round(median(measured.of(key, figure))).toLocaleString('en')
    const ratio = measured.ratio(withIt.key, without.key, figure)
    return [
      { what: `${what}, ${without.what}`, median: middle(without), ratio: 'reference' },
      {
        what: `${what}, ${withIt.what}`,
        median: middle(withIt),
        ratio: `× ${ratio.toFixed(3)}`,
        aim: is === 'least' ? `≥ ${aim}` : `≤ ${(1 / aim).toFixed(2)}`,
        isMet: is === 'least' ? ratio >= aim : ratio <= 1 / aim,
      },
    ]
  }
