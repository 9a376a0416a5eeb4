// Starts the page.
import './styles/tokens.css'
import './styles/base.css'
import { mount } from 'svelte'
import App from './App.svelte'
import { display } from './core/display.svelte.ts'
import { messages } from './core/i18n.svelte.ts'
import { router } from './core/router.svelte.ts'
import { session } from './core/session.svelte.ts'

/** Not awaited at the top level: every chunk imports from the one that holds this, and would wait for it to end. */
async function start(target: HTMLElement): Promise<void> {
  await messages.use(display.language)
  session.begin()
  router.begin()
  mount(App, { target })
}

const target = document.getElementById('app')
if (!target) throw new Error('index.html has no place for the app')
void start(target)
