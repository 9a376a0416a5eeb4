// Compares all tunnels with the host in interleaved rounds: by HTTP, and what it needs of the helper by the socket
// alone. Every answer is checked, outside its time.
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import { Helper } from './helper.ts'
import { Http } from './http.ts'
import { ip } from './ip.ts'
import { work, type Answer } from './jobs.ts'
import { inRounds } from './rounds.ts'

work<'reconcile'>(async ({ panel, count, rounds }) => {
  const http = await Http.operator(panel.url)
  const helper = await Helper.at(panel.socket)
  const took: Answer<'reconcile'> = {
    http: [],
    digests: [],
    tunnels: [],
    tools: [],
    ip: [],
    http_bytes: 0,
    digest_bytes: 0,
    tunnel_bytes: 0,
  }
  await inRounds(rounds, async (isKept) => {
    const compared = await http.expect<ReconcileAnswer>(200, 'GET', '/reconcile')
    const digests = await helper.request('tunnel.digest', {})
    const probed = await helper.request('tunnel.probe', { interface_names: [] })
    const tools = await helper.request('host.probe', { parts: ['tools'] })
    const raw = (await ip(['-s', '-d', '-j', 'link'])) + (await ip(['-j', 'address']))
    check(compared.body, count)
    if (digests.result.tunnels.length !== count)
      throw new Error(`tunnel.digest has ${digests.result.tunnels.length} names where ${count} are due`)
    if (!isKept) return
    took.http.push(compared.ms)
    took.digests.push(digests.ms)
    took.tunnels.push(probed.ms)
    took.tools.push(tools.ms)
    took.ip.push(raw)
    Object.assign(took, { http_bytes: compared.bytes.length, digest_bytes: digests.bytes, tunnel_bytes: probed.bytes })
  })
  return took
})

function check({ items, counts }: ReconcileAnswer, count: number): void {
  if (items.length !== count || counts.InSync !== count)
    throw new Error(
      `Of ${count} tunnels as stored the report has ${JSON.stringify(counts)}, the first as ${JSON.stringify(items[0])}`,
    )
  const missing = items.find(({ observed }) => !observed.exists || observed.addresses.length === 0)
  if (missing) throw new Error(`The report does not show the link ${missing.interface_name}`)
}
