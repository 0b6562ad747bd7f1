import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { DeferredNotifications } from './session.ts'

/** The writes in order; `|` marks the end of an iteration of the event loop. */
function recorder() {
  const notifications = new DeferredNotifications()
  const written: string[] = []
  const notify = (text: string, isOwn: boolean) => {
    if (notifications.mustWait(isOwn)) notifications.add(() => void written.push(text))
    else written.push(text)
  }
  const endTurn = async () => {
    await nextTurn()
    written.push('|')
  }
  return { notifications, written, notify, endTurn }
}

it('writes notifications caused by other clients immediately', () => {
  const { notify, written } = recorder()
  notify('a', false)
  notify('b', false)
  expect(written).toEqual(['a', 'b'])
})

it('writes notifications caused by a client of the connection in a later iteration than the response', async () => {
  const { notify, written, endTurn } = recorder()
  notify('own', true)
  // The response follows some promises later.
  for (let step = 0; step < 20; step++) await Promise.resolve()
  written.push('response')
  for (let turn = 0; turn < 3; turn++) await endTurn()
  expect(written).toEqual(['response', '|', 'own', '|', '|'])
})

it('keeps the order of all notifications that arrive meanwhile', async () => {
  const { notify, written, endTurn } = recorder()
  notify('a', false)
  notify('own 1', true)
  notify('b', false)
  written.push('response 1')
  await endTurn()
  notify('c', false)
  notify('own 2', true)
  written.push('response 2')
  await endTurn()
  notify('d', false)
  for (let turn = 0; turn < 3; turn++) await endTurn()
  notify('e', false)
  const texts = ['a', 'response 1', '|', 'response 2', 'own 1', 'b', '|', 'c', 'own 2', 'd', '|', '|', '|', 'e']
  expect(written.filter((text) => !text.startsWith('response') && text !== '|')).toEqual(
    texts.filter((text) => !text.startsWith('response') && text !== '|'),
  )
  const turnOf = (text: string) => written.slice(0, written.indexOf(text)).filter((each) => each === '|').length
  expect([turnOf('own 1') > turnOf('response 1'), turnOf('own 2') > turnOf('response 2')]).toEqual([true, true])
})

it('writes a notification later than its response, whenever in an iteration both arrive', async () => {
  const { notify, written, endTurn } = recorder()
  for (let n = 0; n < 50; n++) {
    const act = () => {
      notify(`own ${n}`, true)
      queueMicrotask(() => void written.push(`response ${n}`))
    }
    if (n % 3 === 0) act()
    else if (n % 3 === 1) setImmediate(act)
    else setTimeout(act, 0)
    if (n % 4 === 0) await endTurn()
  }
  await expect.poll(() => written.filter((text) => text.startsWith('own')).length).toBe(50)
  for (let n = 0; n < 50; n++) {
    const [response, own] = [written.indexOf(`response ${n}`), written.indexOf(`own ${n}`)]
    expect(own).toBeGreaterThan(response)
  }
})

it('delays nothing when all is written', async () => {
  const { notifications, notify, endTurn } = recorder()
  notify('own', true)
  expect(notifications.mustWait(false)).toBe(true)
  for (let turn = 0; turn < 3; turn++) await endTurn()
  expect(notifications.mustWait(false)).toBe(false)
})
