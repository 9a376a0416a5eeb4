// Requests about files that say what the panel is to do.
import type { DesiredAnswer, DesiredExport, ListDesiredAnswer } from '@panel/shared/api/desired.ts'
import type { Client, Reply } from './client.ts'

export const apply = (client: Client, document: object, more: object = {}): Promise<Reply<DesiredAnswer>> =>
  client.post('/desired', { document: { version: 1, ...document }, ...more })

export const listFiles = (client: Client, query: Record<string, string> = {}): Promise<Reply<ListDesiredAnswer>> =>
  client.get(`/desired?${new URLSearchParams(query).toString()}`)

export const lock = (client: Client, name: string, is_locked: boolean): Promise<Reply<ListDesiredAnswer>> =>
  client.post('/desired/lock', { name, is_locked })

export const exportFile = async (client: Client): Promise<DesiredExport & { document: object }> =>
  (await client.get<DesiredExport & { document: object }>('/desired/export')).body
