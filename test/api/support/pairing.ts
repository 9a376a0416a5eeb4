// Two panels between which nothing goes but a pairing code.
import assert from 'node:assert/strict'
import { crc32, gzipSync } from 'node:zlib'
import type { FromPairingCodeAnswer, PairingCodeAnswer } from '@panel/shared/api/tunnels/pairing.ts'
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import type { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import type { Client, Reply } from './client.ts'
import { startPanel, type TestPanel } from './panel.ts'
import { createTunnel } from './tunnels.ts'

export const A = { address: '192.0.2.1', address6: '2001:db8::1' } as const
export const B = { address: '198.51.100.7', address6: '2001:db8:ffff::7' } as const

/** Any content in the dress of a code, its checksums right. */
export const dressed = (content: unknown): string => {
  const json = JSON.stringify(content)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(json))
  return `v1.${Buffer.concat([checksum, gzipSync(json)]).toString('base64url')}`
}

interface Pair {
  readonly panelA: TestPanel
  readonly panelB: TestPanel
  readonly a: Client
  readonly b: Client
}

export async function startPair(): Promise<Pair> {
  const [panelA, panelB] = await Promise.all([startPanel(), startPanel()])
  const [a, b] = await Promise.all([panelA.setUp(), panelB.setUp()])
  panelB.kernel.hostInterfaces = panelB.kernel.hostInterfaces.map((device) =>
    device.name === 'eth0' ? { ...device, addresses: [`${B.address}/24`, `${B.address6}/64`] } : device,
  )
  panelB.kernel.hostRoutes = panelB.kernel.hostRoutes.map((route) =>
    route.is_default ? route : { ...route, destination: '198.51.100.0/24' },
  )
  return { panelA, panelB, a, b }
}

export const made = async (client: Client, body: object = {}): Promise<TunnelView> => {
  const reply = await createTunnel(client, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.tunnel
}
export const codeOf = async (client: Client, id: number): Promise<PairingCodeAnswer> => {
  const { status, body, text } = await client.get<PairingCodeAnswer>(`/tunnels/${id}/pairing-code`)
  assert.equal(status, 200, text)
  return body
}
export const read = (client: Client, pairing_code: unknown): Promise<Reply<FromPairingCodeAnswer>> =>
  client.post('/tunnels/from-pairing-code', { pairing_code })
export const understood = async (client: Client, pairing_code: string): Promise<FromPairingCodeAnswer> => {
  const { status, body, text } = await read(client, pairing_code)
  assert.equal(status, 200, text)
  return body
}
export const posted = async (client: Client, tunnel: CreateTunnelBody): Promise<TunnelView> => {
  const reply = await client.post<{ tunnel: TunnelView }>('/tunnels', tunnel)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.tunnel
}

/** B sets up what A has, by the code alone. */
export const pairedBy = async (a: Client, b: Client, onA: TunnelView): Promise<TunnelView> =>
  posted(b, (await understood(b, (await codeOf(a, onA.tunnel_id)).pairing_code)).tunnel)

export const assertMirrored = (here: TunnelView, there: TunnelView): void => {
  const crossed = (t: TunnelView) => [
    t.tunnel_side_id,
    t.local_endpoint,
    t.ikey,
    t.has_input_checksum,
    t.has_input_sequence,
    t.addresses.map(({ address, peer_address }) => `${address} ${peer_address}`),
  ]
  const uncrossed = (t: TunnelView) => [
    t.tunnel_side_id === 10 ? 20 : 10,
    t.remote_endpoint,
    t.okey,
    t.has_output_checksum,
    t.has_output_sequence,
    t.addresses.map(({ address, peer_address }) => `${peer_address} ${address}`),
  ]
  assert.deepEqual(crossed(here), uncrossed(there))
  assert.deepEqual(crossed(there), uncrossed(here))
  for (const field of [
    'tunnel_type_id',
    'mtu',
    'ttl',
    'hop_limit',
    'encap_limit',
    'is_path_mtu_discovery',
    'is_ignore_df',
    'is_multicast',
  ] as const)
    assert.equal(here[field], there[field], field)
  assert.deepEqual(
    here.addresses.map(({ prefix_length, is_primary }) => [prefix_length, is_primary]),
    there.addresses.map(({ prefix_length, is_primary }) => [prefix_length, is_primary]),
  )
}
