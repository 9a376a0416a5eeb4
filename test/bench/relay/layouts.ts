// What is compared: each layout on a relay of its own, and the lanes through it that are measured.
import { join } from 'node:path'
import type { Programs } from '../programs.ts'
import type { Kind, Place } from './load.ts'
import { applied, Panel } from './panel.ts'
import { byHand, portOf, rulesOf, SERVER_PORT } from './rules.ts'
import type { Relay, Stage } from './stage.ts'

/** `key` tells lanes apart; `what` is for the table. */
export interface Lane {
  readonly key: string
  readonly what: string
  readonly place: Place
  readonly kinds: readonly Kind[]
}

export const SIZES = [1, 100, 1000, 10_000] as const
const ALL: readonly Kind[] = ['connections', 'datagrams', 'stream', 'round_trips']
const counted = (count: number): string => (count === 1 ? '1 rule' : `${count.toLocaleString('en')} rules`)

/** First and last of so many rules; round trips go through one size alone. */
function ends({ address }: Relay, count: number): Lane[] {
  const kinds = ALL.filter((kind) => kind !== 'round_trips' || count === 1000)
  return (count === 1 ? [1] : [1, count]).map((number) => {
    const end = count === 1 ? '' : number === 1 ? ', the first' : ', the last'
    return {
      key: `panel ${count} ${number === 1 ? 'first' : 'last'}`,
      what: `this panel, ${counted(count)}${end}`,
      place: { address, port: portOf(number) },
      kinds,
    }
  })
}

/** The limit, and what NAT itself takes of it. */
export async function limits(stage: Stage): Promise<Lane[]> {
  const [plain, hand] = [await stage.relay(), await stage.relay()]
  await hand.nft(byHand(hand))
  return [
    { key: 'plain', what: 'plain routing', place: { address: plain.server, port: SERVER_PORT }, kinds: ALL },
    {
      key: 'hand',
      what: 'one rule by hand, nothing counted',
      place: { address: hand.address, port: portOf(1) },
      kinds: ALL,
    },
  ]
}

/** Made by the helper itself, over its socket. */
export async function panels(
  stage: Stage,
  folder: string,
  programs: Programs,
): Promise<{ lanes: Lane[]; panels: Map<number, Panel> }> {
  const lanes: Lane[] = []
  const made = new Map<number, Panel>()
  for (const count of SIZES) {
    const relay = await stage.relay()
    const panel = new Panel(relay, join(folder, `panel-${count}`), programs)
    await applied(await panel.startHelper(), [], rulesOf(relay, count))
    made.set(count, panel)
    lanes.push(...ends(relay, count))
  }
  return { lanes, panels: made }
}
