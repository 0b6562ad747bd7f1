import { z } from 'zod'
import { type CallOptions, postForJson } from './provider-call.ts'
import { type Meanings, notSent, refusal } from './refusal.ts'
import type { SmsProvider, TextMessage } from './sms.ts'
import type { TencentSettings } from './sms-settings.ts'
import { tencentHeaders } from './tencent-signature.ts'

const outcome = z.object({ Code: z.string() })
/** `Error` when the whole call was rejected, else the outcome for the one number. */
const answer = z.object({
  Response: z.object({ Error: outcome.optional(), SendStatusSet: z.array(outcome).optional() }),
})

const MEANINGS: Meanings = new Map([
  ['LimitExceeded.PhoneNumberThirtySecondLimit', 601],
  ['LimitExceeded.PhoneNumberOneHourLimit', 601],
  ['LimitExceeded.PhoneNumberDailyLimit', 601],
  ['LimitExceeded.PhoneNumberSameContentDailyLimit', 601],
  ['LimitExceeded.DeliveryFrequencyLimit', 601],
  ['FailedOperation.TemplateIncorrectOrUnapproved', 604],
  ['FailedOperation.TemplateUnapprovedOrNotExist', 604],
  ['FailedOperation.SignatureIncorrectOrUnapproved', 605],
  ['FailedOperation.MissingSignature', 605],
  ['FailedOperation.TemplateParamSetNotMatchApprovedTemplate', 606],
  ['InvalidParameterValue.TemplateParameterFormatError', 606],
  ['InvalidParameterValue.TemplateParameterLengthLimit', 606],
])

/** Creates the provider Tencent Cloud SMS: SendSms of 2021-01-11. Rejects voice, which is a separate product. */
export function tencentProvider(settings: TencentSettings, { now, timeout }: CallOptions): SmsProvider {
  const url = new URL(settings.endpoint ?? 'https://sms.tencentcloudapi.com')
  return {
    async send(message) {
      if (message.channel === 'voice') throw notSent('Voice is not available with this provider.')
      const body = JSON.stringify({
        PhoneNumberSet: [message.phone],
        SmsSdkAppId: settings.sdkAppId,
        SignName: message.sign ?? settings.signName,
        TemplateId: message.template ?? settings.template,
        TemplateParamSet: templateParameters(message),
      })
      const call = { service: 'sms', action: 'SendSms', version: '2021-01-11', region: settings.region }
      const headers = tencentHeaders(
        { ...call, host: url.host, body, date: now() },
        settings.secretId,
        settings.secretKey,
      )
      const { status, content } = await postForJson({ url, headers, body }, timeout)
      const response = answer.safeParse(content).data?.Response
      const code = response?.Error?.Code ?? response?.SendStatusSet?.[0]?.Code
      if (code !== 'Ok') throw refusal(status, code, MEANINGS)
    },
  }
}

/** Returns the numbered variables of a template: {1} is the code and {2} its minutes; for a notice, its variables in order. */
function templateParameters({ code, ttlMinutes, variables }: TextMessage): string[] {
  return code === null ? Object.values(variables) : [code, String(ttlMinutes)]
}
