// Holds a real kernel with GRE to the contract that the fake one is held to.
import { kernelContract } from '../contract/kernel.ts'
import { startLab, type Lab } from './lab/index.ts'
import { realKernel } from './panel/real-kernel.ts'

describe('A Debian 13 kernel', function () {
  this.timeout(600_000)
  let lab: Lab | undefined
  after(() => lab?.stop())
  kernelContract(async () => {
    lab = await startLab()
    return realKernel(lab)
  })
})
