// The socket between web daemon and helper, for the lab. Each line of its input is a method, a moment, and the number of
// the process to kill.
import { createInterface } from 'node:readline'
import { Between, type Moment } from '../../support/between.ts'

async function main(): Promise<void> {
  const [path = '', helper = ''] = process.argv.slice(2)
  const between = new Between(path, helper)
  await between.open()
  console.log('open')
  for await (const line of createInterface({ input: process.stdin })) {
    const [method = '', moment, pid] = line.split(' ')
    await between.killAt(method, moment as Moment, () => void process.kill(Number(pid), 'SIGKILL'))
    console.log('killed')
  }
}

void main()
