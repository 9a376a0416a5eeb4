// Holds the fake kernel to the contract; test/vm/contract.test.ts holds the real one to the same.
import { FakeKernel } from '../support/fake-kernel.ts'
import { kernelContract } from './kernel.ts'

describe('The fake kernel', () => kernelContract(async () => new FakeKernel()))
