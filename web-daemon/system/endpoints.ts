// The endpoints of the section System.
import { query, type Endpoint } from '../http/endpoint.ts'
import { showCapabilities } from './capabilities.ts'
import { makeHealth, type About, type Component } from './health.ts'

const tag = 'system'

export const systemEndpoints = (about: About, others: () => Component[]): Endpoint[] => [
  query('GET /system/health', { tag, summary: 'What works and what does not', guards: { setup: false, session: false } }, makeHealth(about, others)),
  query('GET /system/capabilities', { tag, summary: 'What this host can do' }, showCapabilities),
]
