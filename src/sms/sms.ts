/** A text message to be sent by a provider. */
export interface TextMessage {
  /** E.164 with '+', e.g. +8613800000000 */
  readonly phone: string
  readonly kind: 'code' | 'notice'
  readonly channel: 'sms' | 'voice'
  /** The six digits; null for a notice. */
  readonly code: string | null
  readonly ttlMinutes: number
  /** Name of the app, for the default text. */
  readonly appName: string
  /** Template and signature in the request; null: those of the settings. */
  readonly template: string | null
  readonly sign: string | null
  /** Template variables as texts, including `name` and `op` if the request has them (protocol/accounts, SMS). */
  readonly variables: Readonly<Record<string, string>>
}

export interface SmsProvider {
  /**
   * Hands a message over to the provider.
   * @throws ApiError 600 to 602 and 604 to 606 depending on the provider's error (protocol/conventions, Codes); 602
   *   also when the provider is unreachable or too slow
   */
  send(message: TextMessage): Promise<void>
}
