import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Vendor } from '../../src/push/providers/all.ts'

export type VendorName = Exclude<Vendor, 'fcm'>

export interface VendorCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Handles a call; the return value is sent as JSON with status 200. */
export type Route = (call: VendorCall) => unknown
/** Handles a call in another way: another status, no response, a broken connection. */
export type Fault = (response: ServerResponse) => void

/** The state of a vendor, which tests inspect and change. */
export interface VendorState {
  /** The number of pushes by device token. */
  readonly delivered: Map<string, number>
  /** Tokens that the vendor rejects as unknown. */
  readonly invalid: Set<string>
  /** Issued access tokens that are still valid. */
  readonly accessTokens: Set<string>
  /** The number of issued access tokens. */
  handedOut: number
  /** The messages to devices, in the vendor's format; the last thousand. */
  readonly messages: unknown[]
  /** The number of devices of each message call. */
  readonly batches: number[]
  /** Responses to the next message calls in place of delivery, in the vendor's format. */
  readonly answers: unknown[]
  /** Faults for the next message calls. */
  readonly faults: Fault[]
  /** Faults for the next access token calls. */
  readonly tokenFaults: Fault[]
  /** Faults of calls, such as wrong signatures. Empty when the caller follows the vendor's rules. */
  readonly complaints: string[]
}

/** Credentials accepted by the stand-ins. Each secret contains the word `secret`, so that leaks can be found. */
export const VENDOR_SETTINGS = {
  hms: { appId: 'hms-app', appSecret: 'hms-secret' },
  honor: { appId: 'honor-app', clientId: 'honor-client', clientSecret: 'honor-secret' },
  mi: { appSecret: 'mi-secret', packageName: 'org.example.app' },
  mz: { appId: 'mz-app', appSecret: 'mz-secret' },
  oppo: { appKey: 'oppo-key', masterSecret: 'oppo-secret' },
  vivo: { appId: '10004', appKey: 'vivo-key', appSecret: 'vivo-secret' },
} as const

export function newState(): VendorState {
  return {
    delivered: new Map(),
    invalid: new Set(),
    accessTokens: new Set(),
    handedOut: 0,
    messages: [],
    batches: [],
    answers: [],
    faults: [],
    tokenFaults: [],
    complaints: [],
  }
}

/** Records a message for devices, and returns their invalid tokens. */
export function deliver(state: VendorState, tokens: readonly string[], message: unknown): string[] {
  state.batches.push(tokens.length)
  state.messages.push(message)
  if (state.messages.length > 1000) state.messages.shift()
  const invalid: string[] = []
  for (const token of tokens) {
    if (state.invalid.has(token)) invalid.push(token)
    else state.delivered.set(token, (state.delivered.get(token) ?? 0) + 1)
  }
  return invalid
}

export function newAccessToken(state: VendorState): string {
  const token = `access-${randomUUID()}`
  state.accessTokens.add(token)
  state.handedOut++
  return token
}

/** Records a fault of the caller, and returns the response. */
export function complain<Answer>(state: VendorState, complaint: string, answer: Answer): Answer {
  state.complaints.push(complaint)
  return answer
}
