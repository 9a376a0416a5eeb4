// What can be asked about tunnels over HTTP.
import { CreateTunnelBody, DeleteTunnelBody } from '@panel/shared/api/tunnels.ts'
import { command, preview, query, type Endpoint } from '../http/endpoint.ts'
import { createTunnel } from './create.ts'
import { deleteTunnel } from './delete.ts'
import { getTunnel } from './get.ts'
import { listAllTunnels } from './list.ts'
import { previewTunnel } from './preview.ts'

const tag = 'tunnels'

export const tunnelEndpoints: readonly Endpoint[] = [
  query('GET /tunnels', { tag, summary: 'List the tunnels, each with what the host shows of it. Query: limit, offset, search, is_enabled, tunnel_type_id, state (an apply status).' }, listAllTunnels),
  command('POST /tunnels', { tag, summary: 'Make a tunnel: checked, applied, read back from the kernel, and put back if anything differs.', body: CreateTunnelBody, gathersProblems: true, audit: 'TunnelCreate', isCreating: true }, createTunnel),
  preview('POST /tunnels/preview', { tag, summary: 'Show what making a tunnel would do, and do nothing. Its "resolved" is the request with name, number, keys, MTU and addresses decided: posted to /tunnels, it makes exactly what the plan shows.', body: CreateTunnelBody, gathersProblems: true }, previewTunnel),
  query('GET /tunnels/{id}', { tag, summary: 'One tunnel with what the host shows of it.' }, getTunnel),
  command('DELETE /tunnels/{id}', { tag, summary: 'Take a tunnel off the host and out of the panel; safe to repeat. Refused where the request itself comes through the tunnel, unless i_understand_i_may_lose_access is set.', body: DeleteTunnelBody, audit: 'TunnelDelete' }, deleteTunnel),
]
