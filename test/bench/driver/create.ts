// Makes one and the same tunnel in interleaved rounds: by HTTP, by the helper's socket alone, and by ip(8). It is gone
// again before the next.
import type { CreateTunnelAnswer, DeleteTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { PERSISTENCE_TYPES } from '@panel/shared/api/base/lookups.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { Helper } from './helper.ts'
import { Http } from './http.ts'
import { batchOf, commandsFor, ip } from './ip.ts'
import { work, type Answer, type Ends } from './jobs.ts'
import { inRounds } from './rounds.ts'

const { Runtime, Systemd } = PERSISTENCE_TYPES

work<'create'>(async ({ panel, ends, rounds }) => {
  const http = await Http.operator(panel.url)
  const helper = await Helper.at(panel.socket)
  const unit = await stateMade(http, helper, ends)
  const ways: Record<keyof Answer<'create'>, () => Promise<number>> = {
    three_ip: () => byThreeIp(unit),
    ip_batch: () => byBatch(unit),
    socket_runtime: () => bySocket(helper, { ...unit, saved: null }),
    socket_unit: () => bySocket(helper, unit),
    http_runtime: () => byHttp(http, ends, Runtime),
    http_unit: () => byHttp(http, ends, Systemd),
  }
  const took: Answer<'create'> = {
    three_ip: [],
    ip_batch: [],
    socket_runtime: [],
    socket_unit: [],
    http_runtime: [],
    http_unit: [],
  }
  await inRounds(rounds, async (isKept) => {
    for (const [name, way] of Object.entries(ways) as [keyof typeof ways, () => Promise<number>][]) {
      const ms = await way()
      if (isKept) took[name].push(ms)
    }
  })
  return took
})

/** The state that a request makes, as root sees it: what the other ways are to make too. */
async function stateMade(http: Http, helper: Helper, ends: Ends): Promise<TunnelState> {
  const { tunnel } = await posted(http, ends, Systemd)
  const { result } = await helper.request('tunnel.probe', { interface_names: [tunnel.interface_name] })
  await deleted(http, tunnel.tunnel_id)
  const state = result.tunnels[0]?.state
  if (!state?.link || !state.saved?.systemd_unit?.config)
    throw new Error(`The tunnel that was made is not wholly there: ${JSON.stringify(state)}`)
  return state
}

async function posted(
  http: Http,
  ends: Ends,
  persistence_type_id: number,
): Promise<CreateTunnelAnswer & { ms: number }> {
  const { body, ms } = await http.expect<CreateTunnelAnswer>(201, 'POST', '/tunnels', { ...ends, persistence_type_id })
  if (!body.verification.ok || !body.tunnel.observed.exists)
    throw new Error(`The tunnel is not there: ${JSON.stringify(body)}`)
  return { ...body, ms }
}

async function deleted(http: Http, tunnel_id: number): Promise<void> {
  const { body } = await http.expect<DeleteTunnelAnswer>(200, 'DELETE', `/tunnels/${tunnel_id}`)
  if (!body.interface_found) throw new Error(`The tunnel was gone before it was deleted: ${JSON.stringify(body)}`)
}

async function byHttp(http: Http, ends: Ends, persistence_type_id: number): Promise<number> {
  const { tunnel, ms } = await posted(http, ends, persistence_type_id)
  await deleted(http, tunnel.tunnel_id)
  return ms
}

async function bySocket(helper: Helper, state: TunnelState): Promise<number> {
  const ms = await helper.apply({ before: null, after: state })
  await helper.apply({ before: state, after: null })
  return ms
}

async function byThreeIp(state: TunnelState): Promise<number> {
  const commands = commandsFor(state)
  if (commands.length !== 3) throw new Error(`The tunnel takes ${commands.length} commands, not three`)
  let ms = 0
  for (const command of commands) ms += await ip(command)
  await ip(['link', 'delete', state.interface_name])
  return ms
}

async function byBatch(state: TunnelState): Promise<number> {
  const ms = await ip(['-batch', '-'], batchOf(commandsFor(state)))
  await ip(['link', 'delete', state.interface_name])
  return ms
}
