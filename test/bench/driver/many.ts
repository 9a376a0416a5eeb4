// Makes many tunnels one after the other, by one of the three ways, and leaves them there.
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { PERSISTENCE_TYPES } from '@panel/shared/api/base/lookups.ts'
import { stateOf } from '@panel/web-daemon/features/tunnels/record.ts'
import { Helper } from './helper.ts'
import { Http } from './http.ts'
import { batchOf, commandsFor, ip } from './ip.ts'
import { work, type Ends } from './jobs.ts'
import { daemonsHere, memoryOf } from './daemons.ts'
import { addressOf, NUMBERS, tunnelOf } from './rows.ts'

work<'many'>(async ({ panel, ends, count, budget_ms, by }) => {
  const states = NUMBERS(count).map((number) => stateOf(tunnelOf(number, ends)))
  if (by === 'ip') return { times: [await ip(['-batch', '-'], batchOf(states.flatMap(commandsFor)))], memory: null }
  const make = by === 'socket' ? await bySocket(panel.socket, states) : await byHttp(panel.url, ends)
  const until = performance.now() + budget_ms
  const times: number[] = []
  for (const number of NUMBERS(count)) {
    if (performance.now() > until) break
    times.push(await make(number))
  }
  return { times, memory: memoryOf(daemonsHere()) }
})

type Make = (number: number) => Promise<number>

async function bySocket(path: string, states: readonly ReturnType<typeof stateOf>[]): Promise<Make> {
  const helper = await Helper.at(path)
  return (number) => helper.apply({ before: null, after: states[number - 1] ?? null })
}

/** Pools that a panel starts with hold 512 tunnels, so the addresses are given. */
async function byHttp(url: string, ends: Ends): Promise<Make> {
  const http = await Http.operator(url)
  return async (number) => {
    const addresses = [{ address: addressOf(number), prefix_length: 30 }]
    const requests = { ...ends, addresses, persistence_type_id: PERSISTENCE_TYPES.Runtime, ikey: number, okey: number }
    const { body, ms } = await http.expect<CreateTunnelAnswer>(201, 'POST', '/tunnels', requests)
    if (!body.verification.ok || !body.tunnel.observed.exists)
      throw new Error(`The tunnel is not there: ${JSON.stringify(body)}`)
    return ms
  }
}
