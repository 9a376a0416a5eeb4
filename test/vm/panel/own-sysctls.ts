// Sysctls that a link of the lab has of its own, other than those that a new link begins with.
import assert from 'node:assert/strict'
import type { Server } from '../lab/index.ts'

const OWN = [
  ['ipv4', 'rp_filter', '2'],
  ['ipv4', 'accept_local', '1'],
  ['ipv4', 'forwarding', '0'],
  ['ipv6', 'forwarding', '1'],
] as const

const fileOf = (name: string, family: string, key: string): string => `/proc/sys/net/${family}/conf/${name}/${key}`

export async function ownSysctls(server: Server, name: string): Promise<string> {
  return (await server.run(`cat ${OWN.map(([family, key]) => fileOf(name, family, key)).join(' ')}`)).trim()
}

/** Sets them, and has new links begin with others. */
export async function setOwnSysctls(server: Server, name: string): Promise<string> {
  await server.run('sysctl -qw net.ipv4.conf.default.forwarding=1')
  await server.run(OWN.map(([family, key, value]) => `echo ${value} > ${fileOf(name, family, key)}`).join(' && '))
  const found = await ownSysctls(server, name)
  assert.equal(found, OWN.map(([, , value]) => value).join('\n'))
  return found
}
