// A root helper on a socket, over a fake kernel: for a web daemon that runs as a process of its own.
import { chmodSync } from 'node:fs'
import { dispatcherFor } from '@panel/root-helper/dispatch.ts'
import { handlersFor } from '@panel/root-helper/handlers.ts'
import { serverFor } from '@panel/root-helper/server.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { inProcessHelper } from '../../support/in-process-helper.ts'

export interface HelperSocket {
  readonly path: string
  readonly kernel: FakeKernel
  readonly close: () => void
}

export async function listenAsHelper(path: string, kernel = new FakeKernel()): Promise<HelperSocket> {
  const server = serverFor(dispatcherFor(handlersFor(inProcessHelper(kernel).deps)), () => ({}))
  await new Promise<void>((resolve) => server.listen(path, resolve))
  chmodSync(path, 0o666)
  return { path, kernel, close: () => void server.close() }
}
