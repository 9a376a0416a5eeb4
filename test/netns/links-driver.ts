// Runs inside a fresh network namespace for links.test.ts: each line it reads is a call to Links or to one of the
// methods below.
import { spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { OwnLinks } from '@panel/root-helper/kernel/facilities.ts'
import { openLinks } from '@panel/root-helper/kernel/link/links.ts'
import { watchLinks, type LinkEvent } from '@panel/root-helper/netlink/events.ts'

type Method = (...args: never[]) => unknown

/** What tests make with `ip` is theirs to change; whose a link is, the contract and the unit tests ask. */
const EVERY_LINK: OwnLinks = {
  isOwn: () => true,
  keep: async () => undefined,
  release: async () => undefined,
  gone: () => undefined,
  only: () => undefined,
  trouble: () => null,
}

const links = openLinks(EVERY_LINK)
const received: LinkEvent[] = []
let lost = 0

const own: Record<string, Method> = {
  watch: () => void watchLinks({ onEvent: (event) => received.push(event), onLost: () => (lost += 1) }),
  received: () => ({ events: received.splice(0), lost }),
  /** Runs `ip -batch` while this process is too busy to read what the kernel tells it. */
  busyWhile: (batch: string) => spawnSync('ip', ['-force', '-batch', '-'], { input: batch }).status,
  /** Runs calls one after the other and answers with the milliseconds that each round took. */
  async measure(rounds: [string, ...never[]][][]): Promise<number[]> {
    const times: number[] = []
    for (const round of rounds) {
      const started = performance.now()
      for (const [method, ...args] of round) await call(method, args)
      times.push(performance.now() - started)
    }
    return times
  },
}

const call = async (method: string, args: never[]): Promise<unknown> => {
  const known = own[method]
  return known ? known(...args) : (links as unknown as Record<string, Method>)[method]?.call(links, ...args)
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, args } = JSON.parse(line) as { id: number; method: string; args: never[] }
  const answer = await call(method, args).then(
    (result) => ({ id, result }),
    (error: Error & { code?: string }) => ({ id, error: { code: error.code, message: error.message } }),
  )
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
links.close()
