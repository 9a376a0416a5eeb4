// 250 sign-ins at the same moment, each from an address of its own, and the operator's among them, at the cost of
// bcrypt that the panel ships with.
import { makePasswords } from '@panel/web-daemon/features/auth/passwords.ts'
import { Client } from '../../api/support/client.ts'
import { OPERATOR, startPanel } from '../../api/support/panel.ts'
import { ms, timed, type Section } from '../table.ts'

const OTHERS = 250
const ROUNDS = 5
const AIM = { says: '< 2 s', below_ms: 2000 } as const

export async function signInPart(tell: (section: Section) => void): Promise<void> {
  const alone: number[] = []
  const among: number[] = []
  const slowest: number[] = []
  const counts = new Map<number, number>()
  for (let round = 0; round < ROUNDS; round++) {
    const panel = await startPanel({ passwords: makePasswords() })
    await panel.setUp()
    const log = async (username: string, from: string, password: string): Promise<[status: number, took: number]> => {
      const started = performance.now()
      const { status } = await new Client(panel.base).post('/auth/login', { username, password }, { from })
      return [status, performance.now() - started]
    }
    alone.push((await log(OPERATOR.username, '127.0.0.1', OPERATOR.password))[1])
    const others = Array.from({ length: OTHERS }, (_, at) => log(`nobody${at}`, `127.1.0.${at + 1}`, 'wrong wrong'))
    const [status, took] = await log(OPERATOR.username, '127.0.0.1', OPERATOR.password)
    if (status !== 200) throw new Error(`the operator was answered ${status}`)
    among.push(took)
    const answers = await Promise.all(others)
    slowest.push(Math.max(...answers.map(([, one]) => one)))
    for (const [one] of answers) counts.set(one, (counts.get(one) ?? 0) + 1)
    await panel.close()
  }
  const ends = [...counts].map(([status, count]) => `${count / ROUNDS} × ${status}`).join(', ')
  tell({
    title: `sign-in: ${OTHERS} others at the same moment, which end as ${ends}`,
    rows: [
      timed('the operator alone', alone),
      timed('the operator among them', among, alone, AIM),
      { what: 'the slowest of the others', median: ms(Math.max(...slowest)) },
    ],
  })
}
