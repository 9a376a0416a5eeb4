// Holds this machine's kernel and nft to the part of the contract that they can keep without GRE.
import { relayContract } from '../contract/relay.ts'
import { KernelNamespace } from './kernel-namespace.ts'

describe('The kernel of this machine', function () {
  let host: KernelNamespace | undefined
  after(() => host?.close())
  relayContract(async () => {
    host = new KernelNamespace()
    return host.kernel
  })
})
