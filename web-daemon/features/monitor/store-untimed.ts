// The time of each state in a stored interval, also in a row from before states were timed.
import { sql, type RawBuilder } from 'kysely'
import { stateSeverity, type TIMES } from './bucket.ts'

const [UP, DEGRADED, DOWN] = (['Up', 'Degraded', 'Down'] as const).map((state) => sql.lit(stateSeverity(state)))
/** Of a row from before states were timed; where no probe was sent the interface was down, or away. */
const UNTIMED_DOWN = sql`case when worst_severity <> ${DOWN} then 0 when sent_count = 0 then untimed_ms
  else untimed_ms * (sent_count - received_count) / sent_count end`
const UNTIMED: Readonly<Record<(typeof TIMES)[number], RawBuilder<unknown>>> = {
  up_ms: sql`case when worst_severity in (${UP}, ${DOWN}) then untimed_ms - (${UNTIMED_DOWN}) else 0 end`,
  degraded_ms: sql`case when worst_severity = ${DEGRADED} then untimed_ms else 0 end`,
  down_ms: UNTIMED_DOWN,
}

/** Of a row of monitor_bucket, in milliseconds. */
export function timeSql(name: (typeof TIMES)[number]): RawBuilder<number> {
  return sql<number>`${sql.ref(name)} + ${UNTIMED[name]}`
}
