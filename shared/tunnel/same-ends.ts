// What makes a link the one that it is: the kernel takes no second with the same ends and key, whatever its name.
import type { NetdevConfig } from './model.ts'

type Ends = Pick<NetdevConfig, 'kind' | 'local_endpoint' | 'remote_endpoint' | 'ikey' | 'bind_device'>

export const isBetweenSameEnds = (a: Ends, b: Ends): boolean =>
  a.kind === b.kind &&
  a.local_endpoint === b.local_endpoint &&
  a.remote_endpoint === b.remote_endpoint &&
  a.ikey === b.ikey &&
  a.bind_device === b.bind_device
