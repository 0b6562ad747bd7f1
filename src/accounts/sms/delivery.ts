import { smsProvider } from '../../sms/provider.ts'
import type { TextMessage } from '../../sms/sms.ts'
import type { Accounts } from '../accounts.ts'
import { fixedCode, forgetCode, type NewCode, storeCode } from './codes.ts'
import { countMessage } from './limits.ts'

/** How a message is delivered and formatted; see `TextMessage`. */
export type MessageForm = Pick<TextMessage, 'channel' | 'template' | 'sign' | 'variables'>

const PLAIN: MessageForm = { channel: 'sms', template: null, sign: null, variables: {} }

/**
 * Creates a code and sends it to its number. Deletes the code again if it cannot be sent.
 * @throws ApiError 1 and 601 by the limits, 600 to 606 by the provider
 */
export async function sendCode(accounts: Accounts, request: NewCode, form: MessageForm = PLAIN): Promise<void> {
  const { number, ttl } = request
  const code = await accounts.database.transaction(async (transaction) => {
    await countMessage(accounts, transaction, number, { kind: 'code', channel: form.channel })
    return storeCode(accounts, transaction, request)
  })
  try {
    await deliver(accounts, { ...form, kind: 'code', phone: number, code, ttlMinutes: ttl })
  } catch (error) {
    await forgetCode(accounts, request, code)
    throw error
  }
}

/**
 * Sends a message without a code.
 * @param number with its country code
 * @throws as `sendCode`
 */
export async function sendNotice(accounts: Accounts, number: string, ttl: number, form: MessageForm): Promise<void> {
  const { channel } = form
  await accounts.database.transaction((transaction) =>
    countMessage(accounts, transaction, number, { kind: 'notice', channel }),
  )
  await deliver(accounts, { ...form, kind: 'notice', phone: number, code: null, ttlMinutes: ttl })
}

/** Sends a message, except to numbers for tests (protocol/accounts, Phone flows). */
async function deliver(accounts: Accounts, message: Omit<TextMessage, 'appName'>): Promise<void> {
  if (fixedCode(accounts, message.phone) !== null) return
  const { outbox, smsLog } = accounts
  const provider = smsProvider(accounts.smsSettings().service, { outbox, log: smsLog })
  await provider.send({ ...message, appName: accounts.appName() })
}
