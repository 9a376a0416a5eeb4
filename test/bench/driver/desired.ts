// A file of many relay rules: planned from nothing, applied as one whole, planned where it is in force, and applied
// again.
import type { DesiredAnswer } from '@panel/shared/api/desired.ts'
import type { ListRoutesAnswer } from '@panel/shared/api/routes/answers.ts'
import { portOf, SERVER_PORT } from '../relay/rules.ts'
import { Http } from './http.ts'
import { work, type Job } from './jobs.ts'
import { peerOf } from './rows.ts'

const ROUNDS = 5

work<'desired'>(async ({ url, count, ...places }) => {
  const http = await Http.operator(url)
  const document = documentOf(places, count)
  const sent = async (dry_run: boolean, changed: number): Promise<number> => {
    const { body, ms } = await http.expect<DesiredAnswer>(200, 'POST', '/desired', { document, dry_run })
    if (body.items.length !== changed) throw new Error(`${body.items.length} objects differ and not ${changed}`)
    const failed = body.steps.find(({ error }) => error !== null)
    if (failed) throw new Error(failed.error?.message)
    return ms
  }
  const times = async (work_once: () => Promise<number>): Promise<number[]> => {
    const took: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) took.push(await work_once())
    return took
  }
  const plan = await times(() => sent(true, count))
  const apply = [await sent(false, count)]
  const plan_again = await times(() => sent(true, 0))
  const apply_again = await times(() => sent(false, 0))
  const list = await times(async () => {
    const { body, ms } = await http.expect<ListRoutesAnswer>(200, 'GET', `/routes?limit=${count}`)
    if (body.routes.length !== count) throw new Error(`There are ${body.routes.length} rules and not ${count}`)
    return ms
  })
  return { plan, apply, plan_again, apply_again, list }
})

const documentOf = (
  { bind_address, tunnels }: Pick<Job<'desired'>, 'bind_address' | 'tunnels'>,
  count: number,
): object => ({
  version: 1,
  routes: Array.from({ length: count }, (_, at) => ({
    route_rule_title: `Rule number ${at + 1}`,
    protocol: 'tcp',
    bind_address,
    bind_port: portOf(at + 1),
    destinations: [{ address: peerOf(1 + (at % tunnels)), port: SERVER_PORT }],
  })),
})
