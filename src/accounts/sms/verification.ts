import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import type { Json } from '../../values/json.ts'
import type { Accounts } from '../accounts.ts'
import { internationalNumber, requiredPhoneNumber } from '../phone-number.ts'
import { redeemCode, requesterOf } from './codes.ts'
import { type MessageForm, sendCode, sendNotice } from './delivery.ts'
import { codeLife, numberToSendTo } from './request.ts'

/** Members of a request that are not variables of the template (protocol/accounts, SMS). */
const NO_VARIABLES = new Set(['mobilePhoneNumber', 'smsType', 'ttl', 'template', 'sign', 'validate_token'])

/** Maximum size of all variables of a request together, in characters: more than any message holds. */
const MAX_VARIABLES = 4096

/**
 * Sends a code that belongs to no user or, with a template for notices, a notice (protocol/accounts, SMS).
 * @throws ApiError 119 when the app does not allow this for clients, 1, 127, 212, 608, and those of `sendCode`
 */
export async function requestCode(accounts: Accounts, request: Parameters, caller: Caller): Promise<void> {
  const { openToClients, noticeTemplates } = accounts.smsSettings()
  if (!openToClients && !caller.master)
    throw errors.notAllowedForClients('The setting sms.openToClients is off, so the master key is required.')
  const form = messageForm(request)
  const ttl = codeLife(request.ttl)
  const number = await numberToSendTo(accounts, request, caller)
  if (form.template !== null && noticeTemplates.includes(form.template)) {
    await sendNotice(accounts, number, ttl, form)
  } else {
    await sendCode(accounts, { number, purpose: 'generic', ttl, userId: null, requester: requesterOf(caller) }, form)
  }
}

/**
 * Checks and uses up a code sent by `requestCode`.
 * @throws ApiError 127, 212, 603
 */
export async function verifyCode(accounts: Accounts, code: string, request: Parameters): Promise<void> {
  const number = internationalNumber(requiredPhoneNumber(request.mobilePhoneNumber))
  if (!(await redeemCode(accounts, number, ['generic'], code))) throw errors.invalidSmsCode()
}

/**
 * Reads the form of the message from a request; all members without a meaning of their own are variables.
 * @throws ApiError 1
 */
export function messageForm(request: Parameters): MessageForm {
  const { smsType = null, template, sign } = request
  const channel = smsType === null || smsType === '' ? 'sms' : smsType
  if (channel !== 'sms' && channel !== 'voice') throw errors.badArgument("'smsType' must be 'sms' or 'voice'.")
  const names = Object.keys(request).filter((name) => !NO_VARIABLES.has(name) && (request[name] ?? null) !== null)
  const variables = Object.fromEntries(names.map((name) => [name, variable(name, request[name]!)]))
  if (JSON.stringify(variables).length > MAX_VARIABLES)
    throw errors.badArgument(`The variables of the template must have at most ${MAX_VARIABLES} characters in total.`)
  return { channel, template: optionalText('template', template), sign: optionalText('sign', sign), variables }
}

function optionalText(field: string, value: Json | undefined): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string') throw errors.badArgument(`'${field}' must be a string.`)
  return value
}

function variable(name: string, value: Json): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw errors.badArgument(`'${name.slice(0, 60)}' must be a string or a number to be used as a template variable.`)
}
