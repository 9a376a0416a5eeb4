// Makes a relay rule with a destination and a backup, has both checked, and ends once both are up.
import type { ChangeRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { RouteCheckAnswer } from '@panel/shared/api/routes/check.ts'
import { Http } from './http.ts'
import { work } from './jobs.ts'

const PATIENCE_MS = 30_000

work<'checked'>(async ({ url, route, check }) => {
  const http = await Http.operator(url)
  const { body } = await http.expect<ChangeRouteAnswer>(201, 'POST', '/routes', route)
  const path = `/routes/${body.route.route_rule_id}/check`
  await http.expect(200, 'PUT', path, check)
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until;) {
    const { destinations } = (await http.expect<RouteCheckAnswer>(200, 'GET', path)).body
    if (destinations.every(({ state }) => state === 'up')) return { destinations: destinations.length }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('The destinations are not up')
})
