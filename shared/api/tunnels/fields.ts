// The fields of a tunnel. Row, record, answer, requests and the items of a backup are derived from this list; a new
// column needs a migration beside it.
import type { ColumnsOf, RecordOf } from '../base/field-list.ts'
import { LINK_FIELDS } from './link-fields.ts'
import { MONITOR_FIELDS } from './monitor-fields.ts'
import { PANEL_FIELDS } from './panel-fields.ts'

/** In the order in which a request's problems are reported. */
export const TUNNEL_FIELDS = { ...LINK_FIELDS, ...PANEL_FIELDS, ...MONITOR_FIELDS }

export type TunnelRecord = RecordOf<typeof TUNNEL_FIELDS>
export type TunnelColumns = ColumnsOf<typeof TUNNEL_FIELDS>
