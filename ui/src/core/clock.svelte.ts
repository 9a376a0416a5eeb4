// The time as ages are told by it, a tick a second and only while somebody shows an age.
import { createSubscriber } from 'svelte/reactivity'

const ticks = createSubscriber((update) => {
  const timer = setInterval(update, 1000)
  return () => clearInterval(timer)
})

/** Whoever reads it in a component is drawn again with every second. */
export const now = (): Date => {
  ticks()
  return new Date()
}
