// The `path.` lines of METHODS.
import { RefusedError } from '../refused.ts'

export function pathHandlers() {
  const notYet = (): never => {
    throw new RefusedError('unsupported', 'This helper sends no echo requests yet')
  }
  return { 'path.watch': notYet, 'path.watch_change': async () => notYet(), 'path.ping': notYet, 'path.mtu': notYet, 'path.trace': notYet }
}
