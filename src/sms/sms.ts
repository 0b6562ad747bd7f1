/** A text message on its way to a provider. */
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
  /** Template and signature of the provider that the request named; null: those of the settings. */
  readonly template: string | null
  readonly sign: string | null
  /** Template variables as texts, among them `name` and `op` when the request has them (protocol/accounts, SMS). */
  readonly variables: Readonly<Record<string, string>>
}

export interface SmsProvider {
  /**
   * Hands a message over to whoever brings it to the phone.
   * @throws ApiError 600 to 602 and 604 to 606 as the provider refused it (protocol/conventions, Codes); 602 also when
   * the
   *   provider cannot be reached or takes too long
   */
  send(message: TextMessage): Promise<void>
}
