// The endpoints of the section Pools.
import { command, query } from '../../platform/http/endpoint.ts'
import { createPool, draftPool } from './create.ts'
import { removePool } from './delete.ts'
import { getPool } from './get.ts'
import { listPools } from './list.ts'
import { nextFree } from './next-free.ts'
import { checkReplacement, replacePool } from './update.ts'
import type { PoolUse } from './use.ts'

const tag = 'pools'

export function poolEndpoints(use: PoolUse) {
  return [
    query(
      'GET /pools',
      {
        tag,
        summary: 'List the address pools, each with what it holds and whether tunnels use it.',
      },
      listPools(use),
    ),
    command(
      'POST /pools',
      {
        tag,
        summary: 'Add an address pool. Whether it is public is measured from its range.',
        statuses: [201],
        gathersProblems: true,
        audit: 'PoolChange',
        check: draftPool,
        isCreating: true,
      },
      createPool,
    ),
    query('GET /pools/{id}', { tag, summary: 'One address pool.' }, getPool(use)),
    command(
      'PUT /pools/{id}',
      {
        tag,
        summary: 'Replace an address pool. While tunnels use it, its range and subnet length stay as they are: 409.',
        gathersProblems: true,
        audit: 'PoolChange',
        check: checkReplacement(use),
      },
      replacePool(use),
    ),
    command(
      'DELETE /pools/{id}',
      {
        tag,
        summary: 'Remove an address pool. While tunnels use it: 409.',
        audit: 'PoolChange',
      },
      removePool(use),
    ),
    query(
      'GET /pools/{id}/next-free',
      {
        tag,
        summary: 'The subnet, number and addresses that a tunnel from this pool would get now. Takes nothing.',
        statuses: [409],
      },
      nextFree(use),
    ),
  ]
}
