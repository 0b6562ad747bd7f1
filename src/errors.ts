import { inEnglish } from './notices/in-english.ts'
import { type Notice, notice, textNotice } from './notices/notice.ts'

/**
 * An error reported to a caller of the API: HTTP status, and a body of `code` and `error` (protocol/conventions, Errors). Any
 * other error is a bug of the server and becomes code 1 without details.
 */
export class ApiError extends Error {
  readonly status: number
  readonly code: number
  /** Seconds after which a retry may succeed, if known. */
  readonly retryAfter: number | undefined
  /** The detail of this case, without the fixed text of the code: for reports, which show no codes. */
  readonly notice: Notice

  /** @param detail the detail of this case; the whole message when omitted */
  constructor(
    status: number,
    code: number,
    message: string,
    retryAfter?: number,
    detail: string | Notice | undefined = message,
  ) {
    // Skips the stack trace: capturing it dominates the cost of a rejection.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.retryAfter = retryAfter
    this.notice = typeof detail === 'string' ? textNotice(detail) : detail
  }

  /** The wire form of the error, also used for items of a batch. */
  get body(): { code: number; error: string } {
    return { code: this.code, error: this.message }
  }
}

/** Appends the detail to the fixed text of a code: `Fixed text. detail`. */
function text(fixed: string, detail?: string | Notice): string {
  return detail ? `${fixed} ${inEnglish(detail)}` : fixed
}

/** @param fullText the whole text as a notice, used when there is no detail */
const bad = (code: number, fixed: string, detail?: string | Notice, fullText?: Notice) =>
  new ApiError(400, code, text(fixed, detail), undefined, detail ?? fullText)

const noticed = (code: number, fullText: Notice) => bad(code, inEnglish(fullText), undefined, fullText)

/**
 * One function for each error of the protocol; texts and codes from protocol/conventions, Codes; protocol/conventions,
 * Authentication and permission failures.
 */
export const errors = {
  /** Code 1 in its second meaning: an invalid argument that has no code of its own. */
  badArgument: (detail: string | Notice) => new ApiError(400, 1, inEnglish(detail), undefined, detail),
  classMissing: (className: string) =>
    new ApiError(404, 101, text("Class or object doesn't exists.", `The class is: '${className}'.`)),
  objectMissing: (id: string, className: string) =>
    bad(1, `Could not find object by id '${id}' for class '${className}'.`),
  fileMissing: (id: string) => new ApiError(404, 101, `Class or object doesn't exists. File '${id}' not found.`),
  invalidQuery: (detail: string | Notice) => bad(102, 'Invalid query.', detail),
  invalidClassName: (name: string) => noticed(103, notice('invalidClassName', { name })),
  invalidObjectId: (detail?: string | Notice) => bad(104, 'Missing object id.', detail, notice('objectIdMissing')),
  invalidKeyName: (key: string) => noticed(105, notice('invalidKeyName', { key })),
  malformedPointer: (detail: string | Notice) =>
    bad(106, 'Malformed pointer. Pointers must be arrays of a classname and an object id.', detail),
  malformedJson: (detail?: string | Notice) =>
    bad(107, 'Malformed json object. A json dictionary is expected.', detail, notice('jsonObjectExpected')),
  incorrectType: (detail: string | Notice) => bad(111, 'Field set to incorrect type.', detail),
  invalidChannel: () =>
    bad(
      112,
      "Invalid channel name. A channel name is either an empty string (the broadcast channel) or contains only a-zA-Z0-9_=, '-' or chinese characters.",
    ),
  requiredKey: (key: string) => noticed(113, notice('keyRequired', { key })),
  invalidDeviceToken: (detail?: string) => bad(114, 'Invalid device token.', detail),
  objectTooLarge: (detail: string | Notice) => bad(116, 'The object is too large.', detail),
  readOnlyKey: (key: string) => noticed(117, notice('keyReadOnly', { key })),
  notAllowedForClients: (detail: string) => bad(119, "That operation isn't allowed for clients.", detail),
  nestedKeyName: (key: string) => noticed(121, notice('nestedKeyName', { key })),
  invalidAcl: (detail: string | Notice) =>
    bad(123, 'Invalid ACL. An ACL with an invalid format was saved. This should not happen if you use AVACL.', detail),
  timedOut: () => noticed(124, notice('timedOut')),
  invalidEmail: () => bad(125, 'The email address was invalid.'),
  invalidPhoneNumber: () =>
    bad(
      127,
      "The mobile phone number was invalid. It must have 4 to 15 digits, optionally with '+' and the country code in front.",
    ),
  invalidRelation: (detail: string | Notice) => bad(128, 'Invalid relation data.', detail),
  roleNameFixed: () => bad(136, "A role's name is set once, at creation, and cannot be changed."),
  duplicateValue: (detail?: string | Notice) =>
    bad(137, 'A unique field was given a value that is already taken.', detail, notice('valueTaken')),
  invalidRoleName: (detail: string) => bad(139, "Role's name is invalid.", detail),
  hookTimedOut: (what: string) => bad(141, `LeanEngine request timeout. ${what}`),
  hookRefused: (detail: string) => bad(142, `Cloud Code validation failed. Error detail : ${detail}`),
  thresholdExceeded: (detail: string | Notice) => bad(154, 'Exceeded an application threshold setting.', detail),
  usernameMissing: () => bad(200, 'Username is missing or empty'),
  passwordMissing: () => bad(201, 'Password is missing or empty.'),
  usernameTaken: () => noticed(202, notice('usernameTaken')),
  emailTaken: () => noticed(203, notice('emailTaken')),
  emailMissing: () => bad(204, 'The email is missing, and must be specified.'),
  emailUnknown: () => bad(205, 'A user with the specified email was not found.'),
  userWithoutSession: () => new ApiError(403, 206, 'The user cannot be altered by a client without the session.'),
  passwordMismatch: () => bad(210, 'The username and password mismatch.'),
  userNotFound: () => bad(211, 'Could not find user.'),
  phoneNumberMissing: () => bad(212, 'The mobile phone number is missing, and must be specified.'),
  phoneNumberUnknown: () => bad(213, 'A user with the specified mobile phone number was not found.'),
  phoneNumberTaken: () => noticed(214, notice('phoneNumberTaken')),
  phoneNumberUnverified: () => bad(215, "Mobile phone number isn't verified."),
  emailUnverified: () => bad(216, "Email address isn't verified."),
  invalidUsername: (detail?: string) => bad(217, 'Invalid username, it must be a non-blank string.', detail),
  invalidPassword: (detail?: string) => bad(218, 'Invalid password, it must be a non-blank string.', detail),
  lockedOut: () =>
    bad(219, 'You have exceeded the maximum number of login attempts, please try again in 15 minutes or later.'),
  friendshipMissing: () => bad(221, 'Friendship not found.'),
  linkedIdMissing: (platform: string, ...members: readonly string[]) =>
    noticed(250, notice('linkedIdMissing', { platform, member: members.join("' or '") })),
  linkedIdInexact: (platform: string, name: string) =>
    noticed(250, notice('linkedIdInexact', { platform, member: name })),
  invalidCql: (detail: string) => bad(300, `CQL syntax error.Detail: ${detail}`),
  invalidGeoPoint: (detail: string | Notice) => bad(302, 'Invalid GeoPoint values.', detail),
  unknownOperation: (detail: string) => bad(304, `Database error. ${detail}`),
  noEffect: () => bad(305, 'No effect on updating/deleting a document.'),
  smsTooOften: (detail?: string) => bad(601, "Can't send SMS too frequently.", detail),
  invalidSmsCode: () => bad(603, 'Invalid SMS code.'),
  validateTokenMissing: () => bad(608, 'Missing validate token.'),
  leaderboardMissing: (name: string) => bad(2100, `statisticName '${name}' not found.`),
  leaderboardVersionMissing: (detail: string) => bad(2102, 'Leaderboard archive not found.', detail),
  invalidLeaderboard: (detail: string | Notice) => bad(2103, 'Invalid Leaderboard object.', detail),
  /** Returns error 429. @param retryAfter seconds */
  tooManyRequests: (detail?: string, retryAfter?: number) =>
    new ApiError(429, 429, text('Too many requests.', detail), retryAfter),
  /** The client has disconnected, so the error is not read. */
  clientDisconnected: () => new ApiError(499, 1, 'The client has closed the connection.'),
  unauthorized: (detail?: string) => new ApiError(401, 401, text('Unauthorized.', detail)),
  classForbidden: (verb: string, className: string) =>
    new ApiError(403, 403, `Forbidden to ${verb} by class '${className}' permissions.`),
  newFieldForbidden: (className: string) =>
    new ApiError(403, 403, `Forbidden to add new fields by class '${className}' permissions.`),
  readForbidden: () => new ApiError(403, 403, "Forbidden reading by object's ACL."),
  writeForbidden: (id: string) => new ApiError(403, 403, `Forbidden writing by object's ACL, the object id is ${id}.`),
  forbidden: (detail: string | Notice) => new ApiError(403, 403, inEnglish(detail), undefined, detail),
  notFound: (detail: string | Notice) => new ApiError(404, 1, inEnglish(detail), undefined, detail),
  methodNotAllowed: (detail: string) => new ApiError(405, 1, detail),
  payloadTooLarge: () => new ApiError(413, 413, 'Payload Too Large.'),
  unsupportedMediaType: (detail: string) => new ApiError(415, 1, detail),
  internal: () => new ApiError(500, 1, 'Internal server error. No information available.'),
  unavailable: () => new ApiError(503, 511, 'Temporarily Unavailable.', undefined, notice('unavailable')),
  /** The store of file contents is unavailable or full, or denies access; the log says which. */
  filesUnavailable: () =>
    new ApiError(503, 511, 'Temporarily Unavailable: files cannot be stored or read at the moment. Try again later.'),
  /** The configured search server is unavailable, or its index is incomplete; the log says which. */
  searchUnavailable: () =>
    new ApiError(
      503,
      511,
      'Temporarily Unavailable: the search server does not respond, or its index is being built. Try again later.',
    ),
  /** The remaining disk space is reserved for the database (`--disk-reserve`). */
  diskReserved: () =>
    new ApiError(
      503,
      511,
      'Temporarily Unavailable: the disk of the server has too little free space for files. Free some space, or set --disk-reserve.',
    ),
  backupRunning: (name: string) => new ApiError(409, 1, `Backup '${name}' is running. Wait until it has ended.`),
  diskFull: () =>
    new ApiError(
      503,
      511,
      'Temporarily Unavailable: the disk of the server is full. Nothing can be stored until there is space.',
      undefined,
      notice('diskFull'),
    ),
} as const
