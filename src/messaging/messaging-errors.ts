import { ApiError } from '../errors.ts'

/**
 * An error of messaging: a code, its symbolic name, which clients compare, and possibly the verdict of a hook. Over HTTP it is an
 * ApiError like any other.
 */
export class MessagingError extends ApiError {
  /** The symbolic name of the code (protocol/realtime, Error codes). */
  readonly reason: string
  readonly detail: string | undefined
  /** The verdict of a hook of the app. */
  readonly app: { readonly code: number; readonly message: string } | undefined

  constructor(code: number, reason: string, detail?: string, app?: { code: number; message: string }) {
    super(code === 4303 || code === 4404 ? 404 : 400, code, detail ? `${reason}: ${detail}` : reason)
    this.name = 'MessagingError'
    this.reason = reason
    this.detail = detail
    this.app = app
  }
}

type AppRejection = { code: number; message: string }

/** Codes and names from protocol/realtime, Error codes. */
export const messagingErrors = {
  signatureFailed: (detail?: string) => new MessagingError(4102, 'SIGNATURE_FAILED', detail),
  invalidLogin: (detail?: string) => new MessagingError(4103, 'INVALID_LOGIN', detail),
  sessionRequired: () => new MessagingError(4105, 'SESSION_REQUIRED', 'Open a session first.'),
  sessionConflict: () => new MessagingError(4111, 'SESSION_CONFLICT', 'The same tag is in use on another device.'),
  sessionTokenExpired: () => new MessagingError(4112, 'SESSION_TOKEN_EXPIRED'),
  quotaExceeded: (detail?: string) => new MessagingError(4116, 'MESSAGE_SENT_QUOTA_EXCEEDED', detail),
  internal: () => new MessagingError(4200, 'INTERNAL_ERROR'),
  conversationSignatureFailed: (detail?: string) => new MessagingError(4302, 'CONVERSATION_SIGNATURE_FAILED', detail),
  conversationNotFound: (id?: string) =>
    new MessagingError(4303, 'CONVERSATION_NOT_FOUND', id && `Conversation '${id.slice(0, 80)}' not found.`),
  conversationFull: (detail: string) => new MessagingError(4304, 'CONVERSATION_FULL', detail),
  conversationRejected: (app: AppRejection) =>
    new MessagingError(4305, 'CONVERSATION_REJECTED_BY_APP', app.message, app),
  updateFailed: (detail: string) => new MessagingError(4306, 'CONVERSATION_UPDATE_FAILED', detail),
  readOnly: (detail: string) => new MessagingError(4307, 'CONVERSATION_READ_ONLY', detail),
  notAllowed: (detail: string) => new MessagingError(4308, 'CONVERSATION_NOT_ALLOWED', detail),
  updateRejected: () =>
    new MessagingError(4309, 'CONVERSATION_UPDATE_REJECTED', 'Only members can change a conversation.'),
  queryFailed: (detail: string) => new MessagingError(4310, 'CONVERSATION_QUERY_FAILED', detail),
  logFailed: (detail: string) => new MessagingError(4311, 'CONVERSATION_LOG_FAILED', detail),
  logRejected: () => new MessagingError(4312, 'CONVERSATION_LOG_REJECTED', 'Only members can read the history.'),
  systemRequired: () => new MessagingError(4313, 'SYSTEM_CONVERSATION_REQUIRED'),
  normalRequired: () => new MessagingError(4314, 'NORMAL_CONVERSATION_REQUIRED'),
  temporarilySilenced: () => new MessagingError(4315, 'CONVERSATION_TEMPORARY_BLACKLISTED'),
  roomRequired: () => new MessagingError(4316, 'TRANSIENT_CONVERSATION_REQUIRED'),
  membershipRequired: () => new MessagingError(4317, 'CONVERSATION_MEMBERSHIP_REQUIRED'),
  unauthorized: () => new MessagingError(4320, 'CONVERSATION_OPERATION_UNAUTHORIZED'),
  unknownRole: (role: string) =>
    new MessagingError(
      4321,
      'UNKNOWN_CONVERSATION_ROLE',
      `The role must be Member, Manager or Owner, not '${role.slice(0, 40)}'.`,
    ),
  tooManyRoles: (detail: string) => new MessagingError(4322, 'CONVERSATION_MEMBER_IN_ROLE_FULL', detail),
  needOwner: () => new MessagingError(4324, 'CONVERSATION_NEED_OWNER'),
  memberInfoDisabled: () => new MessagingError(4325, 'CONVERSATION_MEMBER_INFO_FEATURE_DISABLED'),
  invalidTarget: (detail?: string) => new MessagingError(4401, 'INVALID_MESSAGING_TARGET', detail),
  messageRejected: (app: AppRejection) => new MessagingError(4402, 'MESSAGE_REJECTED_BY_APP', app.message, app),
  ownershipRequired: () => new MessagingError(4403, 'MESSAGE_OWNERSHIP_REQUIRED'),
  messageNotFound: () => new MessagingError(4404, 'MESSAGE_NOT_FOUND'),
  updateRejectedByApp: (app: AppRejection) =>
    new MessagingError(4405, 'MESSAGE_UPDATE_REJECTED_BY_APP', app.message, app),
  editDisabled: () => new MessagingError(4406, 'MESSAGE_EDIT_DISABLED'),
  recallDisabled: () => new MessagingError(4407, 'MESSAGE_RECALL_DISABLED'),
  blacklistFull: (detail: string) => new MessagingError(4543, 'BLACKLIST_FULL', detail),
  blacklistDisabled: () => new MessagingError(4544, 'BLACKLIST_FEATURE_DISABLED'),
  blacklistSignatureFailed: (detail?: string) => new MessagingError(4546, 'BLACKLIST_SIGNATURE_FAILED', detail),
  blockedByConversation: () => new MessagingError(4548, 'BLOCKED_BY_CONV'),
  silencedListFull: (detail: string) => new MessagingError(4561, 'SILIENCED_MEMBER_LIST_FULL', detail),
  silenced: () => new MessagingError(4563, 'SILIENCED'),
} as const
