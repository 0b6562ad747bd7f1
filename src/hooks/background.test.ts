import { expect, it } from 'vitest'
import { Background } from './background.ts'

/** Tasks that end when the test says so. */
function tasks() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const task = (name: string) => () => {
    begun.push(name)
    return new Promise<void>((resolve) => ends.set(name, resolve))
  }
  return { begun, task, end: (name: string) => ends.get(name)!() }
}

it('runs a limited number at once, the rest in order, and rejects tasks when too many are waiting', async () => {
  const { begun, task, end } = tasks()
  const background = new Background(2, 2)
  expect(['a', 'b', 'c', 'd', 'e'].map((name) => background.add(task(name)))).toEqual([true, true, true, true, false])
  expect(begun).toEqual(['a', 'b'])
  end('b')
  await expect.poll(() => begun).toEqual(['a', 'b', 'c'])
  expect(background.add(task('f'))).toBe(true)
  end('a')
  end('c')
  await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd', 'f'])
})

it('waits for all tasks when it is stopped', async () => {
  const { begun, task, end } = tasks()
  const background = new Background(1, 5)
  background.add(task('a'))
  background.add(task('b'))
  const stopped = background.stop(60_000)
  end('a')
  await expect.poll(() => begun).toEqual(['a', 'b'])
  end('b')
  await stopped
})

it('stops after a time limit, and drops waiting tasks', async () => {
  const { begun, task, end } = tasks()
  const background = new Background(1, 5)
  background.add(task('a'))
  background.add(task('b'))
  await background.stop(20)
  end('a')
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual(['a'])
})
