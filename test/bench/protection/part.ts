// What others do to the ruleset costs relayed connections, at each level of protection, where what is taken away is put
// back by the panel itself.
import { rulesetText } from '@panel/shared/ruleset/nft/render.ts'
import {
  DISTURBANCES,
  DisturbedRelay,
  LEVELS,
  type Disturbance,
  type Disturbed,
  type Level,
} from '../../netns/disturbed.ts'
import { RELAY, SERVERS } from '../../netns/relay-rig.ts'
import { median } from '../figures.ts'
import { Namespace } from '../host/namespace.ts'
import { onStage } from '../relay/part.ts'
import { portOf, rulesOf } from '../relay/rules.ts'
import { seedRules } from '../relay/seed.ts'
import type { Row, Section } from '../table.ts'
import { measureHolding } from './holding.ts'

const FLOWS = 100
const PER_SECOND = 1000
const ROUNDS = 3
const MANY = 10_000
/** The aims for the time from a flush to the last rule, with many rules. */
const WHOLE_AIM_S: Readonly<Record<Level, number>> = { owned: 0, held: 1.2, none: 1.2 }

type Tell = (section: Section) => void

export async function protectionPart(tell: Tell): Promise<void> {
  await disturbed(new DisturbedRelay(), Object.keys(DISTURBANCES) as Disturbance[], tell)
  await manyRules(tell)
  await onStage(tell, measureHolding)
}

async function disturbed(relay: DisturbedRelay, all: readonly Disturbance[], tell: Tell): Promise<void> {
  try {
    await relay.open()
    for (const what of all) {
      const rounds = await roundsOf(relay, what)
      tell({ title: titleOf(what, '1 rule'), rows: rounds.flatMap(({ level, found }) => rowsOf(level, found)) })
    }
  } finally {
    await relay.close()
  }
}

const titleOf = (what: string, rules: string): string =>
  `protection: ${what}, ${rules}, under ${FLOWS} relayed connections and new ones; median of ${ROUNDS} rounds`

interface OfLevel {
  readonly level: Level
  readonly found: Disturbed[]
}

async function roundsOf(
  relay: DisturbedRelay,
  what: Disturbance,
  beside: () => Promise<unknown> = async () => undefined,
): Promise<OfLevel[]> {
  const rounds = LEVELS.map((level): OfLevel => ({ level, found: [] }))
  for (let round = 0; round < ROUNDS; round += 1) {
    await beside()
    for (const { level, found } of rounds) {
      await relay.become(level)
      found.push(await relay.disturb(what, FLOWS, PER_SECOND))
    }
  }
  return rounds
}

/** A flush of many rules, beside nft that loads the same text into a network of its own and reads nothing back. */
async function manyRules(tell: Tell): Promise<void> {
  const rules = rulesOf({ address: RELAY, server: SERVERS[0] }, MANY)
  const relay = new DisturbedRelay({ count: MANY, port: portOf(MANY), seed: (store) => seedRules(store, rules) })
  const bare = await Namespace.open()
  const loads: number[] = []
  const load = async (): Promise<void> => {
    await bare.run(['nft', 'flush', 'ruleset'])
    const began = performance.now()
    await bare.run(['nft', '-f', '-'], rulesetText(null, rules))
    loads.push((performance.now() - began) / 1000)
  }
  try {
    await relay.open()
    const rounds = await roundsOf(relay, 'nft flush ruleset', load)
    const raw = median(loads)
    tell({
      title: titleOf('nft flush ruleset', `${MANY.toLocaleString('en')} rules`),
      rows: [
        { what: 'nft -f of the same text', median: `${raw.toFixed(2)} s`, ratio: 'reference' },
        ...rounds.flatMap(({ level, found }) => rowsOf(level, found, { raw, aim: WHOLE_AIM_S[level] })),
      ],
    })
  } finally {
    await relay.close()
    await bare.close()
  }
}

function rowsOf(
  level: Level,
  found: readonly Disturbed[],
  whole?: { readonly raw: number; readonly aim: number },
): Row[] {
  const middle = (of: (one: Disturbed) => number): number => median(found.map(of))
  const rate = middle(({ begun, seconds }) => begun / seconds).toFixed(0)
  const seconds = middle(({ refused_ms }) => refused_ms) / 1000
  return [
    { what: `${level}: connections lost of ${FLOWS}`, median: middle(({ lost }) => lost).toFixed(0) },
    {
      what: `${level}: new ones refused, of ${middle(({ begun }) => begun).toFixed(0)} at ${rate} a second`,
      median: middle(({ refused }) => refused).toFixed(0),
    },
    {
      what: `${level}: until whole`,
      median: `${seconds.toFixed(2)} s`,
      ...(whole && {
        ratio: `× ${(seconds / whole.raw).toFixed(2)}`,
        aim: `≤ ${whole.aim} s`,
        isMet: seconds <= whole.aim,
      }),
    },
  ]
}
