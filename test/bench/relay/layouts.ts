// What is compared: each layout on a relay of its own, and the lanes through it that are measured.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Programs } from '../programs.ts'
import type { Kind, Load, Place } from './load.ts'
import { applied, Panel } from './panel.ts'
import { byHand, iptables, linearNft, portOf, rulesOf, SERVER_PORT } from './rules.ts'
import type { Relay, Stage } from './stage.ts'

/** `key` tells lanes apart; `what` is for the table. */
export interface Lane {
  readonly key: string
  readonly what: string
  readonly place: Place
  readonly kinds: readonly Kind[]
}

export const SIZES = [1, 100, 1000, 10_000] as const
const START_MS = 5000
const ALL: readonly Kind[] = ['connections', 'datagrams', 'stream', 'round_trips']
const SPLICED: readonly Kind[] = ['connections', 'stream', 'round_trips']
const counted = (count: number): string => (count === 1 ? '1 rule' : `${count.toLocaleString('en')} rules`)

/** First and last of so many rules; round trips are of one lane of each kind. */
function ends(name: string, what: string, { address }: Relay, count: number): Lane[] {
  const kinds = ALL.filter((kind) => kind !== 'round_trips' || (name === 'panel' && count === 1000))
  return (count === 1 ? [1] : [1, count]).map((number) => {
    const end = count === 1 ? '' : number === 1 ? ', the first' : ', the last'
    return {
      key: `${name} ${count} ${number === 1 ? 'first' : 'last'}`,
      what: `${what}, ${counted(count)}${end}`,
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
    lanes.push(...ends('panel', 'this panel', relay, count))
  }
  return { lanes, panels: made }
}

export async function linear(stage: Stage): Promise<Lane[]> {
  const lanes: Lane[] = []
  for (const count of SIZES.filter((size) => size > 1)) {
    const relay = await stage.relay()
    await relay.nft(linearNft(relay, count, true))
    lanes.push(...ends('linear', 'linear nft', relay, count))
  }
  const uncounted = await stage.relay()
  const count = SIZES[3]
  await uncounted.nft(linearNft(uncounted, count, false))
  const last = ends('uncounted', 'linear nft that counts nothing', uncounted, count).slice(-1)
  return [...lanes, ...last]
}

export async function byIptables(stage: Stage): Promise<Lane[]> {
  const lanes: Lane[] = []
  for (const count of SIZES.filter((size) => size > 1)) {
    const relay = await stage.relay()
    await relay.network.run(['iptables-restore'], iptables(relay, count))
    lanes.push(...ends('iptables', 'iptables', relay, count))
  }
  return lanes
}

/** One that is not here, or relays nothing as it is set up here, has no lane. */
export async function userSpace(
  stage: Stage,
  load: Load,
  folder: string,
): Promise<{ lanes: Lane[]; missing: string[] }> {
  const lanes: Lane[] = []
  const missing: string[] = []
  for (const [program, { kinds, commands }] of Object.entries(PROGRAMS)) {
    const relay = await stage.relay()
    const at = join(folder, program)
    mkdirSync(at)
    for (const command of commands(relay, at)) await relay.start(command)
    const lane = { key: program, what: program, place: { address: relay.address, port: portOf(1) }, kinds }
    if (await relays(load, lane)) lanes.push(lane)
    else missing.push(program)
  }
  return { lanes, missing }
}

/** It may need a moment to listen. */
async function relays(load: Load, { place }: Lane): Promise<boolean> {
  const until = performance.now() + START_MS
  while (performance.now() < until) if ((await load.measure('connections', place, 100)).done > 0) return true
  return false
}

interface Program {
  readonly kinds: readonly Kind[]
  readonly commands: (relay: Relay, folder: string) => string[][]
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  haproxy: { kinds: SPLICED, commands: (relay, folder) => [['haproxy', '-db', '-f', written(folder, haproxy(relay))]] },
  nginx: {
    kinds: ALL,
    commands: (relay, folder) => [['nginx', '-c', written(folder, nginx(relay, folder)), '-e', join(folder, 'errors')]],
  },
  socat: {
    kinds: ALL,
    commands: ({ address, server }) => [
      [
        'socat',
        `TCP-LISTEN:${portOf(1)},bind=${address},fork,reuseaddr,nodelay,backlog=1024`,
        `TCP:${server}:${SERVER_PORT},nodelay`,
      ],
      ['socat', '-T', '2', `UDP-LISTEN:${portOf(1)},bind=${address},fork,reuseaddr`, `UDP:${server}:${SERVER_PORT}`],
    ],
  },
}

function written(folder: string, text: string): string {
  const path = join(folder, 'config')
  writeFileSync(path, text)
  return path
}

const haproxy = ({ address, server }: Relay): string => `global
  maxconn 4000
defaults
  mode tcp
  option splice-auto
  timeout connect 5s
  timeout client 30s
  timeout server 30s
listen relay
  bind ${address}:${portOf(1)} backlog 4096
  server one ${server}:${SERVER_PORT}
`

/** Debian keeps the stream part of nginx in a module; where it is built in there is nothing to load. */
const nginx = (
  { address, server }: Relay,
  folder: string,
): string => `include /usr/share/nginx/modules-available/mod-stream.con[f];
daemon off;
user root;
worker_processes auto;
pid ${join(folder, 'pid')};
events { worker_connections 8192; }
stream {
  access_log off;
  server { listen ${address}:${portOf(1)} backlog=4096; proxy_pass ${server}:${SERVER_PORT}; tcp_nodelay on; }
  server { listen ${address}:${portOf(1)} udp reuseport; proxy_pass ${server}:${SERVER_PORT}; proxy_timeout 5s; }
}
`
