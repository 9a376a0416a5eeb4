// Holds the fake kernel to the contract; test/netns and test/vm hold real ones to the same.
import { FakeKernel } from '../support/fake-kernel.ts'
import { answersContract } from './answers.ts'
import { headerContract } from './header.ts'
import { kernelContract } from './kernel.ts'
import { networksContract } from './networks.ts'
import { relayContract } from './relay.ts'

describe('The fake kernel', () => {
  kernelContract(async () => new FakeKernel())
  headerContract(async () => new FakeKernel())
  answersContract(async () => new FakeKernel())
  networksContract(async () => new FakeKernel())
  relayContract(async () => new FakeKernel())
})
