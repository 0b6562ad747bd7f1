import type { TextMessage } from './sms.ts'

/**
 * Returns the default text of a message with a code for providers without templates: Chinese, then English. Null for a
 * notice.
 */
export function defaultText({ code, ttlMinutes, appName, sign }: TextMessage): string | null {
  if (code === null) return null
  const minutes = ttlMinutes === 1 ? '1 minute' : `${ttlMinutes} minutes`
  const chinese = `您的验证码是 ${code}，${ttlMinutes} 分钟内有效。如果不是您本人的操作，请忽略本消息。`
  const english = `Your code is ${code}. It is valid for ${minutes}. If you did not request it, ignore this message.`
  return `【${sign ?? appName}】${chinese} ${english}`
}
