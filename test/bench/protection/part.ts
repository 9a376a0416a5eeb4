// What others do to the ruleset costs relayed connections, at each level of protection, where what is taken away is put
// back by the panel itself.
import { DISTURBANCES, DisturbedRelay, LEVELS, type Disturbance, type Disturbed } from '../../netns/disturbed.ts'
import { median } from '../figures.ts'
import type { Row, Section } from '../table.ts'

const FLOWS = 100
const PER_SECOND = 1000
const ROUNDS = 3

export async function protectionPart(tell: (section: Section) => void): Promise<void> {
  const relay = new DisturbedRelay()
  try {
    await relay.open()
    for (const what of Object.keys(DISTURBANCES) as Disturbance[]) {
      const rounds = LEVELS.map((level) => ({ level, found: [] as Disturbed[] }))
      for (let round = 0; round < ROUNDS; round += 1)
        for (const { level, found } of rounds) {
          await relay.become(level)
          found.push(await relay.disturb(what, FLOWS, PER_SECOND))
        }
      tell({
        title: `protection: ${what}, under ${FLOWS} relayed connections and new ones; median of ${ROUNDS} rounds`,
        rows: rounds.flatMap(({ level, found }) => rowsOf(level, found)),
      })
    }
  } finally {
    await relay.close()
  }
}

function rowsOf(level: string, found: readonly Disturbed[]): Row[] {
  const middle = (of: (one: Disturbed) => number): number => median(found.map(of))
  const rate = middle(({ begun, seconds }) => begun / seconds).toFixed(0)
  return [
    { what: `${level}: connections lost of ${FLOWS}`, median: middle(({ lost }) => lost).toFixed(0) },
    {
      what: `${level}: new ones refused, of ${middle(({ begun }) => begun).toFixed(0)} at ${rate} a second`,
      median: middle(({ refused }) => refused).toFixed(0),
    },
    { what: `${level}: until whole`, median: `${(middle(({ refused_ms }) => refused_ms) / 1000).toFixed(2)} s` },
  ]
}
