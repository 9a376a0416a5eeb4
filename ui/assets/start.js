// The page from start to sign-out: asks how the panel is, then shows setup, sign-in or the host.
import { ask, hasSession } from './api.js'
import { clear, lengthOf, MIN_CHARACTERS, wire } from './forms.js'
import { showCapabilities, showHealth, showNoCapabilities, showNoTunnels, showSilence, showTunnels } from './view.js'

const get = (selector) => document.querySelector(selector)
const PLACES = ['#setup', '#sign-in', '#tunnels', '#capabilities', '#account']
const showOnly = (...shown) => PLACES.forEach((place) => { get(place).hidden = !shown.includes(place) })
const SESSION_OVER = 'Your session has ended. Sign in again.'

const say = (message) => Object.assign(get('#trouble'), { textContent: message, hidden: message === '' })

/** Only the latest look may show what it saw: an earlier one may come back after a sign-out. */
let looks = 0

const look = async (notice = '') => {
  const mine = ++looks
  const stillMine = () => mine === looks
  try {
    const health = await ask('GET', '/system/health')
    const found = hasSession() && !health.setup_required ? await readHost() : null
    if (!stillMine()) return
    showHealth(health)
    get('#health').hidden = false
    say(notice || found?.capabilities.reason?.message || '')
    if (health.setup_required) showOnly('#setup')
    else if (found) showHost(found)
    else showOnly('#sign-in')
  } catch (refused) {
    if (!stillMine()) return
    say(refused.code === 'UNAUTHENTICATED' ? SESSION_OVER : refused.message)
    if (refused.code === 'UNAUTHENTICATED') showOnly('#sign-in')
    else showSilence()
  }
}

const readHost = async () => {
  const me = await ask('GET', '/auth/me')
  const [tunnels, capabilities] = await Promise.allSettled([ask('GET', '/tunnels?limit=1000'), ask('GET', '/system/capabilities')])
  return { me, tunnels, capabilities }
}

const showHost = ({ me, tunnels, capabilities }) => {
  get('#username').textContent = me.user.username
  if (tunnels.status === 'fulfilled') showTunnels(tunnels.value)
  else showNoTunnels(tunnels.reason)
  if (capabilities.status === 'fulfilled') showCapabilities(capabilities.value)
  else showNoCapabilities(capabilities.reason)
  showOnly('#tunnels', '#capabilities', '#account')
}

const signedIn = async (form) => {
  form.reset()
  form.querySelector('[name=password]').type = 'password'
  await look()
  get('#tunnels-title').focus()
}

const rule = get('#rule')
const password = get('#setup-password')
const showRule = () => {
  const length = lengthOf(password.value)
  rule.textContent = length < MIN_CHARACTERS ? `At least ${MIN_CHARACTERS} characters: ${length} so far` : `Long enough: ${length} characters`
}
password.addEventListener('input', showRule)

const setup = get('#setup form')
wire(setup, {
  check: (values) => (lengthOf(values.password) < MIN_CHARACTERS ? { password: `A password has at least ${MIN_CHARACTERS} characters` } : {}),
  send: async (values) => {
    try {
      await ask('POST', '/auth/setup', values)
    } catch (refused) {
      if (refused.code !== 'SETUP_ALREADY_COMPLETE') throw refused
      return look(refused.message)
    }
    await signedIn(setup)
  },
})

const signIn = get('#sign-in form')
wire(signIn, {
  check: () => ({}),
  send: async (values) => {
    await ask('POST', '/auth/login', values)
    await signedIn(signIn)
  },
})

get('#sign-out').addEventListener('click', async () => {
  try {
    await ask('POST', '/auth/logout')
    clear(signIn)
    get('#tunnels .content').replaceChildren()
    await look()
    get('#username-field').focus()
  } catch (refused) {
    say(refused.message)
  }
})
get('#refresh').addEventListener('click', () => look())

if (!window.isSecureContext) get('#plain-http').hidden = false
await look()
