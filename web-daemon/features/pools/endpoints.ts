// The endpoints of the section Pools.
import {
  ChangePoolAnswer,
  CreatePoolBody,
  DeletePoolAnswer,
  ListPoolsAnswer,
  NextFreeAnswer,
  PoolView,
  UpdatePoolBody,
} from '@panel/shared/api/pools.ts'
import { command, query } from '../../platform/http/endpoint.ts'
import { queryParameters, integerParameter } from '../../platform/http/queries.ts'
import { createPool } from './create.ts'
import { removePool } from './delete.ts'
import { getPool } from './get.ts'
import { listPools } from './list.ts'
import { nextFree } from './next-free.ts'
import { replacePool } from './update.ts'
import type { PoolUse } from './use.ts'

const tag = 'pools'

export function poolEndpoints(use: PoolUse) {
  return [
    query(
      'GET /pools',
      {
        tag,
        summary: 'List the address pools, each with what it holds and whether tunnels use it.',
        answer: ListPoolsAnswer,
      },
      listPools(use),
    ),
    command(
      'POST /pools',
      {
        tag,
        summary: 'Add an address pool. Whether it is public is measured from its range.',
        statuses: [201],
        answer: ChangePoolAnswer,
        body: CreatePoolBody,
        gathersProblems: true,
        audit: 'PoolChange',
        isCreating: true,
      },
      createPool,
    ),
    query('GET /pools/{id}', { tag, summary: 'One address pool.', answer: PoolView }, getPool(use)),
    command(
      'PUT /pools/{id}',
      {
        tag,
        summary: 'Replace an address pool. While tunnels use it, its range and subnet length stay as they are: 409.',
        answer: ChangePoolAnswer,
        body: UpdatePoolBody,
        gathersProblems: true,
        audit: 'PoolChange',
      },
      replacePool(use),
    ),
    command(
      'DELETE /pools/{id}',
      {
        tag,
        summary: 'Remove an address pool. While tunnels use it: 409.',
        answer: DeletePoolAnswer,
        audit: 'PoolChange',
      },
      removePool(use),
    ),
    query(
      'GET /pools/{id}/next-free',
      {
        tag,
        summary: 'The subnet, number and addresses that a tunnel from this pool would get now. Takes nothing.',
        query: queryParameters({
          prefix_length: integerParameter('Of a subnet of another length than that of the pool.'),
        }),
        answer: NextFreeAnswer,
      },
      nextFree(use),
    ),
  ]
}
