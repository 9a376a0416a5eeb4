// Reads all tunnels in interleaved rounds: by HTTP, by the helper's socket alone, and by ip(8). Every answer is
// checked, outside its time.
import type { ListTunnelsAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import { daemonsHere, memoryOf, processorTimeOf } from './daemons.ts'
import { Helper } from './helper.ts'
import { Http } from './http.ts'
import { ip } from './ip.ts'
import { work, type Answer, type Costs, type Job, type Shown } from './jobs.ts'
import { inRounds } from './rounds.ts'
import { nameOf, NUMBERS } from './rows.ts'

/** Processor time comes in ticks of 10 ms, so it is taken of several requests together. */
const PROCESSOR_SHARE = 0.5

work<'list'>(async ({ panel, count, rounds, shown }) => {
  const http = await Http.operator(panel.url)
  const helper = await Helper.at(panel.socket)
  const interface_names = NUMBERS(count).map(nameOf)
  const took: Omit<Answer<'list'>, 'memory' | 'processor'> = {
    http: [],
    capabilities: [],
    links: [],
    tunnels: [],
    ip: [],
    http_bytes: 0,
    socket_bytes: 0,
  }
  await inRounds(rounds, async (isKept) => {
    const listed = await http.expect<ListTunnelsAnswer>(200, 'GET', `/tunnels?limit=${count}`)
    const can = await http.expect<{ complete: boolean }>(200, 'GET', '/system/capabilities')
    const seen = await helper.request('link.probe', { interface_names })
    const probed = await helper.request('tunnel.probe', { interface_names })
    const raw = (await ip(['-s', '-d', '-j', 'link'])) + (await ip(['-j', 'address']))
    checkList(listed.body, count)
    if (seen.result.links.length !== count)
      throw new Error(`link.probe has ${seen.result.links.length} links where ${count} are due`)
    if (!can.body.complete) throw new Error('The capabilities are not complete')
    checkProbe(probed.result.tunnels, count, shown)
    if (!isKept) return
    took.http.push(listed.ms)
    took.capabilities.push(can.ms)
    took.links.push(seen.ms)
    took.tunnels.push(probed.ms)
    took.ip.push(raw)
    took.http_bytes = listed.bytes.length
    took.socket_bytes = seen.bytes
  })
  const processor = await processorTime(Math.ceil(took.http.length * PROCESSOR_SHARE), () =>
    http.expect(200, 'GET', `/tunnels?limit=${count}`),
  )
  return { ...took, processor, memory: memoryOf(daemonsHere()) }
})

/** The processor time of one request: wall time depends on how busy the machine is, this hardly does. */
async function processorTime(rounds: number, request: () => Promise<unknown>): Promise<Costs> {
  const daemons = daemonsHere()
  const before = processorTimeOf(daemons)
  for (let round = 0; round < rounds; round += 1) await request()
  const after = processorTimeOf(daemons)
  return { helper: (after.helper - before.helper) / rounds, web: (after.web - before.web) / rounds }
}

function checkList({ total, tunnels }: ListTunnelsAnswer, count: Job<'list'>['count']): void {
  if (total !== count || tunnels.length !== count)
    throw new Error(`The list has ${tunnels.length} of ${total} tunnels where ${count} are due`)
  const missing = tunnels.find(
    ({ observed }) => !observed.is_known || !observed.exists || observed.addresses.length === 0,
  )
  if (missing)
    throw new Error(`The list does not show the link ${missing.interface_name}: ${JSON.stringify(missing.observed)}`)
}

function checkProbe(tunnels: readonly TunnelFound[], count: number, shown: Shown): void {
  if (tunnels.length !== count) throw new Error(`The probe has ${tunnels.length} names where ${count} are due`)
  const wrong = tunnels.find(
    ({ state, observed }) =>
      !observed ||
      (state?.link != null) !== shown.link ||
      (state?.saved?.systemd_unit?.config != null && state.saved.systemd_unit.is_enabled) !== shown.unit,
  )
  if (wrong)
    throw new Error(`The probe should show ${JSON.stringify(shown)} of each tunnel, and has ${JSON.stringify(wrong)}`)
}
