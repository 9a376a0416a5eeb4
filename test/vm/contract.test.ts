// Holds a real kernel with GRE, and the nft of Debian 13, to the contract that the fake one is held to.
import { answersContract } from '../contract/answers.ts'
import { headerContract } from '../contract/header.ts'
import { kernelContract } from '../contract/kernel.ts'
import { networksContract } from '../contract/networks.ts'
import { relayContract } from '../contract/relay.ts'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { startLab, type Lab } from './lab/index.ts'
import { realKernel } from './panel/real-kernel.ts'

describe('A Debian 13 kernel', function () {
  let lab: Lab | undefined
  let kernel: Promise<Kernel> | undefined
  after(() => lab?.stop())
  const open = (): Promise<Kernel> => (kernel ??= start())
  const start = async (): Promise<Kernel> => {
    lab = await startLab({ kind: 'emulated' })
    return realKernel(lab)
  }
  kernelContract(open)
  headerContract(open)
  answersContract(open)
  networksContract(open)
  // An emulated machine takes a second for what this one does in ten milliseconds.
  relayContract(open, 5)
})
