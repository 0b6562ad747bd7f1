import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { alibabaHeaders, canonicalQuery } from './alibaba-signature.ts'
import { type CallOptions, postForJson } from './provider-call.ts'
import { type Meanings, notSent, refusal } from './refusal.ts'
import type { SmsProvider, TextMessage } from './sms.ts'
import type { AlibabaSettings } from './sms-settings.ts'

const answer = z.object({ Code: z.string() })

const MEANINGS: Meanings = new Map([
  ['isv.SIGN_NAME_ILLEGAL', 600],
  ['isv.BUSINESS_LIMIT_CONTROL', 601],
  ['isv.SMS_TEMPLATE_ILLEGAL', 604],
  ['isv.SMS_SIGNATURE_ILLEGAL', 605],
  ['isv.SMS_SIGN_ILLEGAL', 605],
  ['isv.SIGN_STATE_ILLEGAL', 605],
  ['isv.SMS_SIGNATURE_SCENE_ILLEGAL', 605],
  ['isv.TEMPLATE_MISSING_PARAMETERS', 606],
  ['isv.TEMPLATE_PARAMS_ILLEGAL', 606],
  ['isv.INVALID_JSON_PARAM', 606],
  ['isv.PARAM_LENGTH_LIMIT', 606],
])

/** Creates the provider Alibaba Cloud SMS: SendSms of Dysmsapi 2017-05-25. Rejects voice, which is a separate product. */
export function alibabaProvider(settings: AlibabaSettings, { now, timeout }: CallOptions): SmsProvider {
  const endpoint = settings.endpoint ?? `https://${hostIn(settings.region ?? 'cn-hangzhou')}`
  return {
    async send(message) {
      if (message.channel === 'voice') throw notSent('Voice is not available with this provider.')
      const query = canonicalQuery({
        // Country code and number; '+' is allowed only for numbers of mainland China.
        PhoneNumbers: message.phone.replace('+', ''),
        SignName: message.sign ?? settings.signName,
        TemplateCode: message.template ?? settings.template,
        TemplateParam: JSON.stringify(templateVariables(message)),
      })
      const url = new URL(`/?${query}`, endpoint)
      const call = { action: 'SendSms', version: '2017-05-25', host: url.host, query, date: now(), nonce: randomUUID() }
      const headers = alibabaHeaders(call, settings.accessKeyId, settings.accessKeySecret)
      const { status, content } = await postForJson({ url, headers }, timeout)
      const code = answer.safeParse(content).data?.Code
      if (code !== 'OK') throw refusal(status, code, MEANINGS)
    },
  }
}

function hostIn(region: string): string {
  return region.startsWith('cn-') ? 'dysmsapi.aliyuncs.com' : `dysmsapi.${region}.aliyuncs.com`
}

/** Returns the variables for a template. In a message with a code, `code` and `ttl` are set by the server, not by the request. */
function templateVariables({ code, ttlMinutes, variables }: TextMessage): Record<string, string> {
  return code === null ? { ...variables } : { ...variables, code, ttl: String(ttlMinutes) }
}
