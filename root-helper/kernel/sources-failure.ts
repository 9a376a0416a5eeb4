// What a backend does where it cannot hold the source addresses of the tunnels: no change of a rule fails over it.
import { KernelError } from '../kernel-error.ts'
import { log } from '../log.ts'

/** Until the next change of a link, what leaves by a tunnel is masqueraded, or has the source that it had. */
export function logSourcesFailure(error: unknown): void {
  if (!(error instanceof KernelError)) throw error
  log('warning', 'What is masqueraded over tunnels does not outlive their restart for now', { detail: error.message })
}
