import { expect, it, vi } from 'vitest'
import { ACCEPTED } from './provider.ts'
import type { DeliveryResult } from './vendor-provider.ts'
import { type Failure, later, refused } from './vendor-request.ts'
import { type AccessToken, vendorToken } from './vendor-token.ts'

const never = new AbortController().signal
const HOUR = 3_600_000
const accepted = async (): Promise<DeliveryResult> => ({ rest: ACCEPTED })

/** A vendor that issues t1, t2, …, each valid for an hour, and a clock. */
function vendor() {
  const clock = { now: 0 }
  const fetchToken = vi.fn<() => Promise<AccessToken | Failure>>()
  fetchToken.mockImplementation(async () => ({ value: `t${fetchToken.mock.calls.length}`, lifetime: HOUR }))
  const token = vendorToken(fetchToken, () => clock.now)
  const shown: string[] = []
  const send = async (value: string) => {
    shown.push(value)
    return accepted()
  }
  return { clock, fetchToken, token, shown, send }
}

it('fetches a token once for concurrent callers, and keeps it', async () => {
  const { fetchToken, token, shown, send } = vendor()
  await Promise.all([token.use(send, never), token.use(send, never)])
  await token.use(send, never)
  expect(shown).toEqual(['t1', 't1', 't1'])
  expect(fetchToken).toHaveBeenCalledTimes(1)
})

it('replaces a token shortly before it expires', async () => {
  const { clock, token, shown, send } = vendor()
  await token.use(send, never)
  clock.now = HOUR - 5 * 60_000 - 1
  await token.use(send, never)
  clock.now = HOUR - 5 * 60_000
  await token.use(send, never)
  expect(shown).toEqual(['t1', 't1', 't2'])
})

it('replaces a token that the vendor rejects once, for all concurrent callers', async () => {
  const { fetchToken, token } = vendor()
  const send = async (value: string) => (value === 't1' ? { invalid: refused('expired') } : accepted())
  const results = await Promise.all([token.use(send, never), token.use(send, never), token.use(send, never)])
  expect(results).toEqual(Array(3).fill({ rest: ACCEPTED }))
  expect(fetchToken).toHaveBeenCalledTimes(2)
})

it('does not try a third time when the vendor rejects the new token too', async () => {
  const { fetchToken, token } = vendor()
  const result = await token.use(async () => ({ invalid: refused('80200001: wrong') }), never)
  expect(result).toEqual({ rest: refused('80200001: wrong') })
  expect(fetchToken).toHaveBeenCalledTimes(2)
})

it('returns a failed fetch to all concurrent callers, without keeping it', async () => {
  const { fetchToken, token, shown, send } = vendor()
  fetchToken.mockResolvedValueOnce(later('away'))
  const failed = await Promise.all([token.use(send, never), token.use(send, never)])
  expect(failed).toEqual(Array(2).fill({ rest: later('away') }))
  expect(await token.use(send, never)).toEqual({ rest: ACCEPTED })
  expect(shown).toEqual(['t2'])
})

it('stops waiting for a caller that is stopped, and returns the token to the others', async () => {
  const { fetchToken, token, send } = vendor()
  let give: (token: AccessToken) => void = () => {}
  fetchToken.mockReturnValueOnce(new Promise((resolve) => (give = resolve)))
  const stopping = new AbortController()
  const stopped = token.use(send, stopping.signal)
  const patient = token.use(send, never)
  stopping.abort()
  expect(await stopped).toEqual({ rest: later('the delivery was stopped') })
  give({ value: 't', lifetime: HOUR })
  expect(await patient).toEqual({ rest: ACCEPTED })
})
