// Opens the store and writes to it without end, telling the number of each write once it is committed: writer <path>
// <first number>
import { writeSync } from 'node:fs'
import { openStore } from '@panel/web-daemon/app/store.ts'
import { write } from './writes.ts'

const writeOn = async (path: string, first: number): Promise<never> => {
  const store = await openStore(path)
  for (let n = first; ; n++) {
    await write(store, n)
    writeSync(1, `${n}\n`)
  }
}

const [path = '', first = ''] = process.argv.slice(2)
writeOn(path, Number(first)).catch((failure: unknown) => {
  console.error(failure)
  process.exitCode = 1
})
