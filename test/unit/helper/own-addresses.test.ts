// Own addresses of networks on a kernel that keeps who made an address, and on one before Linux 5.18, which does not: a
// socket that answers as either stands for it.
import assert from 'node:assert/strict'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { KernelNetworks } from '@panel/root-helper/kernel/networks/networks.ts'
import { NetworksRecord } from '@panel/root-helper/kernel/networks/record.ts'
import { decodeAddress, newAddress } from '@panel/root-helper/netlink/address.ts'
import * as k from '@panel/root-helper/netlink/constants.ts'
import type { Message } from '@panel/root-helper/netlink/message.ts'
import type { NetlinkSocket, Request } from '@panel/root-helper/netlink/socket.ts'
import { exampleNetwork } from '../../support/example-network.ts'
import { memoryFolder } from '../../support/memory-folder.ts'
import { linkMessage, plainGre } from '../netlink/kernel-says.ts'

const OWN = '10.66.0.1'
const FOREIGN = '10.66.9.9'
const message = (type: number, body: Buffer): Message => ({ ...linkMessage(plainGre), type, body })

class Loopback {
  addresses: Buffer[] = []
  readonly #knowsOrigin: boolean

  constructor(knowsOrigin: boolean) {
    this.#knowsOrigin = knowsOrigin
  }

  dump = async ({ type }: Request): Promise<Message[]> =>
    type === k.RTM_GETADDR ? this.addresses.map((body) => message(k.RTM_NEWADDR, body)) : []

  request = async ({ type, parts }: Request): Promise<Message[]> => {
    if (type === k.RTM_GETLINK) return [linkMessage(plainGre, { name: 'lo', index: 1, flags: k.IFF_UP })]
    const kept = parts.filter((part) => this.#knowsOrigin || part.readUInt16LE(2) !== k.IFA_PROTO)
    const address = addressOf(Buffer.concat(parts))
    const others = this.addresses.filter((body) => addressOf(body) !== address)
    if (type === k.RTM_NEWADDR && others.length < this.addresses.length) throw new KernelError('EEXIST', 'File exists')
    this.addresses = type === k.RTM_NEWADDR ? [...others, Buffer.concat(kept)] : others
    return []
  }

  names = (): string[] => this.addresses.map(addressOf)
}

const addressOf = (body: Buffer): string => decodeAddress(message(k.RTM_NEWADDR, body))?.address ?? ''

for (const knowsOrigin of [true, false])
  describe(`Own addresses on a kernel that keeps ${knowsOrigin ? '' : 'not '}who made them`, () => {
    let loopback: Loopback
    let networks: KernelNetworks
    const state = exampleNetwork({ own_addresses: [OWN] })
    beforeEach(async () => {
      loopback = new Loopback(knowsOrigin)
      const record = new NetworksRecord(memoryFolder())
      networks = new KernelNetworks(loopback as unknown as NetlinkSocket, record, knowsOrigin)
      await loopback.request(newAddress(1, 'lo', { address: FOREIGN, peer_address: '', prefix_length: 32 }))
      await networks.keep([state])
    })

    it('are added once, and read back as ours', async () => {
      assert.deepEqual((await networks.found([]))[0]?.state.lacks.includes(OWN), true)
      await networks.addAddress(OWN)
      await networks.addAddress(OWN)
      assert.deepEqual(loopback.names(), [FOREIGN, OWN])
      assert.equal((await networks.found([]))[0]?.state.lacks.includes(OWN), false)
    })

    it('are removed, also once the record names them no more, and others are not', async () => {
      await networks.addAddress(OWN)
      await networks.forget(state.destination)
      assert.deepEqual(await networks.strays([], [OWN]), [OWN])
      await networks.removeAddress(OWN)
      assert.deepEqual(loopback.names(), [FOREIGN])
    })

    if (knowsOrigin)
      it('are none that are foreign, though the record names them', async () => {
        await networks.keep([{ ...state, own_addresses: [FOREIGN] }])
        assert.equal((await networks.found([]))[0]?.state.lacks.includes(FOREIGN), true)
        await networks.removeAddress(FOREIGN)
        assert.deepEqual(loopback.names(), [FOREIGN])
      })
  })
