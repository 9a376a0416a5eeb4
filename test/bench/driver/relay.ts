// Changes one relay rule in interleaved rounds: by HTTP, by the helper's socket alone, and by nft on a table that is
// the same, in a network without a helper. Then reads the counters of all of them. Every answer is checked, outside its
// time.
import { spawn } from 'node:child_process'
import type { ChangeRouteAnswer, UpdateRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import type { Result } from '@panel/shared/rpc/methods.ts'
import { rulesetText } from '@panel/shared/ruleset/nft/render.ts'
import { Helper, type Answered } from './helper.ts'
import { Http } from './http.ts'
import { rulesOf } from '../relay/rules.ts'
import { work, type Answer } from './jobs.ts'
import { inRounds } from './rounds.ts'

/** Changes by each of our ways before the rounds; an even number goes back to where it began. */
const WARM_UP = 100

work<'relay'>(async (job) => {
  const { panel, between, count, rounds } = job
  const rules = rulesOf(between, count)
  const http = await Http.operator(panel.url)
  const helper = await Helper.at(panel.socket)
  const took: Answer<'relay'> = {
    own_text: [],
    whole_text: [],
    socket: [],
    socket_again: [],
    patch: [],
    post: [],
    remove: [],
    counters: [],
    nft_counters: [],
  }
  await warmUp({ http, helper }, rules)
  let turn = 0
  await inRounds(rounds, async (isKept) => {
    // Every round says something that the one before did not. What is stored says that it goes to where HTTP sent it
    // last.
    const [was, is] = [turned(rules, turn), turned(rules, turn + 1)]
    const round = await changed(job.bare, { http, helper }, was, is)
    const made = await madeAndGone(http, rules)
    const read = {
      counters: await countersBySocket(helper, rules.length),
      nft_counters: await nft([], ['-j', 'list counters table inet panel']),
    }
    turn += 1
    if (isKept)
      for (const [name, ms] of Object.entries({ ...round, ...made, ...read }) as [keyof typeof round, number][])
        took[name].push(ms)
  })
  return took
})

/** The last rule goes to another port of the server each time. */
function turned(rules: readonly RelayRule[], turn: number): RelayRule[] {
  const last = rules.at(-1)
  if (!last) throw new Error('There is no rule to change')
  return [
    ...rules.slice(0, -1),
    { ...last, destinations: last.destinations.map((one) => ({ ...one, port: one.port + (turn % 2) })) },
  ]
}

interface Hands {
  readonly http: Http
  readonly helper: Helper
}

/** Warms the daemons up: daemons that run for months cost what their code takes once it is compiled. */
async function warmUp(hands: Hands, rules: readonly RelayRule[]): Promise<void> {
  for (let turn = 0; turn < WARM_UP; turn += 1) await changedByUs(hands, turned(rules, turn), turned(rules, turn + 1))
}

/** The times of a change by each way. */
async function changed(bare: readonly string[], hands: Hands, was: readonly RelayRule[], is: readonly RelayRule[]) {
  const own_text = await nft(bare, ['-f', '-'], rulesetText(was, is))
  const whole_text = await nft(bare, ['-f', '-'], `delete table inet panel\n${rulesetText(null, is)}`)
  return { own_text, whole_text, ...(await changedByUs(hands, was, is)) }
}

/** The helper goes back, so that HTTP finds what is stored. */
async function changedByUs({ http, helper }: Hands, was: readonly RelayRule[], is: readonly RelayRule[]) {
  const [before, after] = [was.slice(-1), is.slice(-1)]
  const there = await helper.request('ruleset.apply', { before, after })
  const back = await helper.request('ruleset.apply', { before: after, after: before })
  for (const { result } of [there, back])
    if (result.outcome !== 'applied') throw new Error(`ruleset.apply: ${JSON.stringify(result).slice(0, 2000)}`)
  const destinations = (after[0]?.destinations ?? []).map(({ address, port }) => ({ address, port }))
  const { body, ms: patch } = await http.expect<UpdateRouteAnswer>(200, 'PATCH', `/routes/${is.length}`, {
    destinations,
  })
  if (!body.verification.ok) throw new Error(`PATCH: ${JSON.stringify(body.verification).slice(0, 2000)}`)
  return { socket: there.ms, socket_again: back.ms, patch }
}

/** One more than there are, and it is gone again. */
async function madeAndGone(http: Http, rules: readonly RelayRule[]) {
  const [last] = rules.slice(-1)
  const [destination] = last?.destinations ?? []
  const requests = {
    bind_address: last?.bind_address,
    bind_port: (last?.bind_port ?? 0) + 1,
    destination_address: destination?.address,
    destination_port: destination?.port,
  }
  const { body, ms: post } = await http.expect<ChangeRouteAnswer>(201, 'POST', '/routes', requests)
  if (!body.verification.ok) throw new Error(`POST: ${JSON.stringify(body.verification).slice(0, 2000)}`)
  const { ms: remove } = await http.expect(200, 'DELETE', `/routes/${body.route.route_rule_id}`, {})
  return { post, remove }
}

/** Reads the counters, in as many pages as it takes. */
async function countersBySocket(helper: Helper, count: number): Promise<number> {
  let [from_id, seen, took]: [number | null, number, number] = [0, 0, 0]
  while (from_id !== null) {
    const { result, ms }: Answered<Result<'ruleset.counters'>> = await helper.request('ruleset.counters', {
      route_rule_ids: [],
      from_id,
    })
    seen += result.counters.length
    took += ms
    from_id = result.next_id
  }
  if (seen !== count) throw new Error(`There are counters of ${seen} rules where ${count} are due`)
  return took
}

/** Milliseconds from the call until it has ended and all that it wrote is read. */
async function nft(where: readonly string[], args: readonly string[], input = ''): Promise<number> {
  const [program = 'nft', ...words] = [...where, 'nft', ...args]
  const started = performance.now()
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', () => undefined)
  child.stderr.on('data', (data: Buffer) => (output += data.toString()))
  // A command that ends before it has read everything says so by its code.
  child.stdin.on('error', () => undefined).end(input)
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const ms = performance.now() - started
  if (code !== 0) throw new Error(`nft ${args.join(' ')} ended with ${code}: ${output.slice(0, 2000)}`)
  return ms
}
