import { describe, expect, it } from 'vitest'
import { type AttemptState, admit, isLocked, LOGIN_LIMIT, NO_ATTEMPTS, settle } from './attempts.ts'

const LIMIT = { failures: 3, window: 100, lock: 50 }
const CHECK_LIFE = 60_000

const admitted = (state: AttemptState, check: string, now: number): AttemptState => {
  const admission = admit(state, check, now, LIMIT)
  if (admission.kind !== 'admitted') throw new Error(`The guess was not admitted but ${admission.kind}.`)
  return admission.state
}
/** Runs a guess from admission to its result. */
const guess = (state: AttemptState, failed: boolean, now: number): AttemptState =>
  settle(admitted(state, 'a guess', now), 'a guess', failed, now, LIMIT)
const failAt = (...times: number[]): AttemptState =>
  times.reduce((state, time) => guess(state, true, time), NO_ATTEMPTS)
const kindAt = (state: AttemptState, now: number) => admit(state, 'another', now, LIMIT).kind

describe('a lock', () => {
  it('starts with the seventh failure in 15 minutes and lasts 15 minutes', () => {
    expect(LOGIN_LIMIT).toEqual({ failures: 7, window: 15 * 60_000, lock: 15 * 60_000 })
  })

  it('starts with the last failure that the limit allows, not earlier', () => {
    expect(isLocked(failAt(1, 2), 2)).toBe(false)
    expect(isLocked(failAt(1, 2, 3), 3)).toBe(true)
    expect(kindAt(failAt(1, 2), 2)).toBe('admitted')
    expect(kindAt(failAt(1, 2, 3), 3)).toBe('locked')
  })

  it.each([
    [52, true],
    [53, false],
  ])('started at 3 with a duration of 50 is active at %i: %s', (now, locked) => {
    expect(isLocked(failAt(1, 2, 3), now)).toBe(locked)
  })

  it('resets the count of failures when it ends', () => {
    const once = guess(failAt(1, 2, 3), true, 60)
    expect([once.failures, isLocked(once, 60)]).toEqual([[60], false])
    expect(isLocked(guess(guess(once, true, 61), true, 62), 62)).toBe(true)
  })

  it('ignores failures older than the window', () => {
    expect(isLocked(failAt(1, 2, 101), 101)).toBe(false)
    expect(failAt(1, 2, 101).failures).toEqual([2, 101])
    expect(isLocked(failAt(1, 2, 100), 100)).toBe(true)
  })

  it('is not prevented by a right guess in between, which leaves the failures counted', () => {
    expect(isLocked(guess(guess(failAt(1, 2), false, 3), true, 4), 4)).toBe(true)
  })

  it('is prolonged by a guess that was admitted before it and fails after it', () => {
    const two = admitted(admitted(failAt(1), 'a', 2), 'b', 2)
    const locked = settle({ ...two, failures: [1, 2] }, 'a', true, 3, LIMIT)
    expect(locked.lockedUntil).toBe(53)
    expect(settle(locked, 'b', true, 10, LIMIT).lockedUntil).toBe(60)
  })

  it('is not lifted by a guess that was admitted before it and is right', () => {
    const two = admitted(admitted(failAt(1), 'a', 2), 'b', 2)
    const locked = settle({ ...two, failures: [1, 2] }, 'a', true, 3, LIMIT)
    expect(isLocked(settle(locked, 'b', false, 10, LIMIT), 10)).toBe(true)
  })
})

describe('guesses under check', () => {
  it('count as failed, so that the admitted guesses never exceed the limit', () => {
    const two = admitted(admitted(failAt(1), 'a', 2), 'b', 2)
    expect(kindAt(two, 3)).toBe('wait')
    expect(kindAt(settle(two, 'a', false, 3, LIMIT), 3)).toBe('admitted')
    expect(kindAt(settle(two, 'a', true, 3, LIMIT), 3)).toBe('wait')
  })

  it('stop counting when their node has not reported for a minute', () => {
    const lost = ['a', 'b', 'c'].reduce((state, check) => admitted(state, check, 1), NO_ATTEMPTS)
    expect(kindAt(lost, CHECK_LIFE)).toBe('wait')
    expect(kindAt(lost, CHECK_LIFE + 1)).toBe('admitted')
    expect(Object.keys(admitted(lost, 'd', CHECK_LIFE + 1).checks)).toEqual(['d'])
  })

  it('are removed one by one as they end', () => {
    const two = admitted(admitted(NO_ATTEMPTS, 'a', 1), 'b', 1)
    expect(settle(two, 'a', false, 2, LIMIT)).toEqual({ failures: [], checks: { b: 1 }, lockedUntil: null })
    expect(settle(two, 'unknown', false, 2, LIMIT)).toEqual(two)
  })

  it('leave the state that was passed in unchanged', () => {
    const before = failAt(1)
    const copy = structuredClone(before)
    guess(before, true, 2)
    expect(before).toEqual(copy)
  })
})
