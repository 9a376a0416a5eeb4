// Lets the garbage collector free statements between the steps of asynchronous functions, where V8 has no context.
import SQLite from 'better-sqlite3'

const store = new SQLite(':memory:')
const ROUNDS = 3000

const queryAgain = async (more) => {
  store.prepare('SELECT 1').get()
  await null
  if (more > 0) await queryAgain(more - 1)
}

for (let round = 0; round < ROUNDS; round += 1) await Promise.all(Array.from({ length: 20 }, () => queryAgain(3)))
console.log('collected')
