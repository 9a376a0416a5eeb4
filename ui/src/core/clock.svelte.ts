// The current time for relative ages, ticking only while in use.
import { createSubscriber } from 'svelte/reactivity'

const ticks = createSubscriber((update) => {
  const timer = setInterval(update, 1000)
  return () => clearInterval(timer)
})

/** Reading it in a component updates the component every second. */
export const now = (): Date => {
  ticks()
  return new Date()
}
