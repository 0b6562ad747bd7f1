import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Vendor } from '../../src/push/providers/all.ts'

export type VendorName = Exclude<Vendor, 'fcm'>

export interface VendorCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Answers a call; whatever is returned is sent as JSON with status 200. */
export type Route = (call: VendorCall) => unknown
/** Does something else to a call: another status, no answer, a broken connection. */
export type Fault = (response: ServerResponse) => void

/** What a vendor knows, and what a test has made of it. */
export interface VendorState {
  /** How often each device got a push, by its token. */
  readonly delivered: Map<string, number>
  /** Tokens that the vendor does not know. */
  readonly invalid: Set<string>
  /** Access tokens that it has handed out and still takes. */
  readonly accessTokens: Set<string>
  /** How many access tokens it has handed out. */
  handedOut: number
  /** What devices were sent, in the vendor's own form; the last thousand. */
  readonly messages: unknown[]
  /** Calls for messages, with how many devices each of them was. */
  readonly batches: number[]
  /** Answers that the next calls for messages get instead of being carried out, in the vendor's form. */
  readonly answers: unknown[]
  /** What happens to the next calls for messages instead of an answer. */
  readonly faults: Fault[]
  /** The same for calls for access tokens. */
  readonly tokenFaults: Fault[]
  /** What was wrong with calls: signatures, forms. Stays empty where the caller follows the vendor's rules. */
  readonly complaints: string[]
}

/** Credentials that the stand-ins take. Each secret holds the word `secret`, so that it is found where it must not be. */
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

/** Notes a message for devices, and tells which of their tokens are not valid. */
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

/** Notes a fault of the caller, and answers with it. */
export function complain<Answer>(state: VendorState, complaint: string, answer: Answer): Answer {
  state.complaints.push(complaint)
  return answer
}
