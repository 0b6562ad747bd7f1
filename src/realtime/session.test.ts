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
  const endIteration = async () => {
    await nextTurn()
    written.push('|')
  }
  return { notifications, written, notify, endTurn: endIteration }
}

it('writes notifications caused by other clients immediately', () => {
  const { notify, written } = recorder()
  notify('a', false)
  notify('b', false)
  expect(written).toEqual(['a', 'b'])
})

it('writes notifications caused by a client of the connection in a later iteration than the response', async () => {
  const { notify, written, endTurn: endIteration } = recorder()
  notify('own', true)
  // The response follows some promises later.
  for (let step = 0; step < 20; step++) await Promise.resolve()
  written.push('response')
  for (let iteration = 0; iteration < 3; iteration++) await endIteration()
  expect(written).toEqual(['response', '|', 'own', '|', '|'])
})

it('keeps the order of all notifications that arrive meanwhile', async () => {
  const { notify, written, endTurn: endIteration } = recorder()
  notify('a', false)
  notify('own 1', true)
  notify('b', false)
  written.push('response 1')
  await endIteration()
  notify('c', false)
  notify('own 2', true)
  written.push('response 2')
  await endIteration()
  notify('d', false)
  for (let iteration = 0; iteration < 3; iteration++) await endIteration()
  notify('e', false)
  const texts = ['a', 'response 1', '|', 'response 2', 'own 1', 'b', '|', 'c', 'own 2', 'd', '|', '|', '|', 'e']
  expect(written.filter((text) => !text.startsWith('response') && text !== '|')).toEqual(
    texts.filter((text) => !text.startsWith('response') && text !== '|'),
  )
  const iterationOf = (text: string) => written.slice(0, written.indexOf(text)).filter((each) => each === '|').length
  expect([iterationOf('own 1') > iterationOf('response 1'), iterationOf('own 2') > iterationOf('response 2')]).toEqual([
    true,
    true,
  ])
})

it('writes a notification later than its response, whenever in an iteration both arrive', async () => {
  const { notify, written, endTurn: endIteration } = recorder()
  for (let n = 0; n < 50; n++) {
    const act = () => {
      notify(`own ${n}`, true)
      queueMicrotask(() => void written.push(`response ${n}`))
    }
    if (n % 3 === 0) act()
    else if (n % 3 === 1) setImmediate(act)
    else setTimeout(act, 0)
    if (n % 4 === 0) await endIteration()
  }
  await expect.poll(() => written.filter((text) => text.startsWith('own')).length).toBe(50)
  for (let n = 0; n < 50; n++) {
    const [response, own] = [written.indexOf(`response ${n}`), written.indexOf(`own ${n}`)]
    expect(own).toBeGreaterThan(response)
  }
})

it('delays nothing when all is written', async () => {
  const { notifications, notify, endTurn: endIteration } = recorder()
  notify('own', true)
  expect(notifications.mustWait(false)).toBe(true)
  for (let iteration = 0; iteration < 3; iteration++) await endIteration()
  expect(notifications.mustWait(false)).toBe(false)
})
