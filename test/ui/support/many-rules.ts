// A page that is answered a thousand relay rules, which take too long to make.
import type { Page } from 'playwright-core'
import type { ListRoutesAnswer } from '@panel/shared/api/routes/answers.ts'

export const MANY = 1000

type Rules = ListRoutesAnswer['routes']

/** The rules of the server, the first so many, again and again over so many tunnels; every tenth tunnel is down. */
export async function answerManyRules(page: Page, tunnels: number, first = MANY): Promise<void> {
  await page.route(/\/routes\?(.*&)?limit=1000/, async (route) => {
    const answer = (await (await route.fetch()).json()) as ListRoutesAnswer
    const rules = answer.routes.slice(0, first)
    const isDown = ({ health }: Rules[number]): boolean => health.tunnel?.is_up === false
    const [down, up] = [rules.filter(isDown), rules.filter((one) => one.health.severity !== 'down')]
    const routes = Array.from({ length: MANY }, (_, at) => overTunnel(up, down, at, (at % tunnels) + 1))
    await route.fulfill({ json: { ...answer, routes, total: MANY } })
  })
}

function overTunnel(up: Rules, down: Rules, at: number, tunnel_id: number): Rules[number] {
  const isDown = tunnel_id % 10 === 0
  const some = isDown && down.length > 0 ? down : up
  const rule = some[at % some.length]
  if (!rule) throw new Error('there is no rule')
  const { tunnel } = rule.health
  const [route_rule_id, title] = [at + 1, some.length === 1 ? `Rule ${at + 1}` : `${rule.title} ${at + 1}`]
  return {
    ...rule,
    route_rule_id,
    title,
    route: { ...rule.route, route_rule_id, route_rule_title: title, bind_port: at + 1, bind_port_range_end: null },
    health: {
      ...rule.health,
      ...(isDown ? { severity: 'down' } : {}),
      tunnel: tunnel && { ...tunnel, tunnel_id, interface_name: `gre-${tunnel_id}` },
    },
  }
}
