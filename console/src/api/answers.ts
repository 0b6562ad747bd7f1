// Generated from the OpenAPI document of the management API by `npm run types:console`.

export type Acl = {
  readonly [name: string]: {
    readonly read?: boolean
    readonly write?: boolean
  }
}

export type Administrator = {
  readonly id: string
  readonly name: string
  readonly role: 'owner' | 'administrator' | 'reader'
  readonly apps: readonly string[] | null
  readonly hasPassword: boolean
  readonly hasTotp: boolean
  readonly createdAt: string
}

export type App = {
  readonly appId: string
  readonly name: string
  readonly appKey: string
  readonly masterKey?: string
  readonly hookKey?: string
  readonly ownerEmail: string | null
  /** Base URLs of its files that are the same for every caller. */
  readonly fileUrls: readonly string[]
  readonly createdAt: string
}

export type ClassDescription = {
  readonly className: string
  readonly fields: {
    readonly [name: string]: Field
  }
  /** By operation */
  readonly permissions: {
    readonly [name: string]: unknown
  }
  /** By `*`, the id of a user, or `role:` and the name of a role */
  readonly defaultAcl: Acl
  /** What each is made of */
  readonly indexes: readonly string[]
}

export type ClassPermission = 'public' | 'users' | 'master' | {
  readonly users?: readonly string[]
  readonly roles?: readonly string[]
}

export type Engine = {
  readonly url: string
  readonly answers: boolean
  readonly functions: readonly string[]
  readonly hooks: readonly string[]
}

export type EntryLink = {
  readonly token: string
  readonly expiresAt: string
}

export type Field = {
  readonly type: string
  readonly className?: string
  readonly [name: string]: unknown
}

export type FieldDeclaration = {
  readonly type?: 'String' | 'Number' | 'Boolean' | 'Object' | 'Array' | 'Date' | 'Bytes' | 'File' | 'GeoPoint' | 'Any' | 'Pointer' | 'Relation'
  readonly className?: string
  readonly required?: boolean
  readonly readOnly?: boolean
  readonly hidden?: boolean | 'results'
  readonly userPrivate?: boolean
  readonly autoIncrement?: boolean
  readonly searchable?: boolean
  readonly default?: Json
  readonly comment?: string
}

export type FileCheckPosition = {
  readonly step: 'sweep' | 'records' | 'rows' | 'blobs'
  readonly after: string | null
}

export type GivenUpDevices = {
  /** that a provider would not take in all attempts */
  readonly devices: number
  /** whether it ended before all devices were seen to */
  readonly brokeOff: boolean
}

export type ImportCounts = {
  readonly read: number
  readonly created: number
  readonly updated: number
  /** left unchanged */
  readonly existing: number
  readonly rejected: number
}

export type ImportItem = {
  readonly at: number
  readonly text: string
  readonly notes?: readonly {
    readonly code: string
    readonly [name: string]: unknown
  }[]
  readonly reason?: {
    readonly code: string
    readonly [name: string]: unknown
  }
}

export type ImportPosition = {
  readonly entry: number
  readonly record: number
}

export type ImportState = {
  readonly id: string
  readonly source: string
  readonly place: ImportPosition
  readonly mark: string | null
  readonly isDone: boolean
  readonly counts: {
    readonly [name: string]: ImportCounts
  }
  readonly notes: unknown
}

export type IndexDeclaration = {
  readonly fields: readonly string[]
  readonly unique?: boolean
}

export type Json = string | number | boolean | null | readonly Json[] | {
  readonly [name: string]: Json
}

export type Move = {
  readonly id: string
  readonly source: MoveSource
  /** whether the master key of the source is known */
  readonly hasKey: boolean
  readonly received: readonly number[] | null
  /** what is under way */
  readonly action: 'try' | 'bring' | 'verify' | null
  readonly options: MoveOptions
  readonly progress: MoveProgress | null
  readonly outcomes: { readonly [name in 'try' | 'bring' | 'verify']?: MoveOutcome }
  readonly createdAt: string
  readonly changedAt: string
}

export type MoveFile = {
  readonly name: string
  readonly size: number
}

export type MoveOptions = {
  readonly onConflict?: 'skip' | 'overwrite' | 'newer'
  readonly strict?: boolean
  readonly again?: boolean
  readonly rewriteUrls?: boolean
  /** in which texts `rewriteUrls` rewrites; all unless told */
  readonly rewriteFields?: readonly string[]
  /** where files were, beside what their records say */
  readonly oldDomains?: readonly string[]
  /** requests a second that an app that runs is asked at most */
  readonly rate?: number
  /** classes that are read at a time, 1 unless told */
  readonly parallel?: number
  /** when the rate holds, by the clock of the server; at other times it is `dayRate` */
  readonly nightHours?: string
  /** a tenth of `rate` unless told; only with `nightHours` */
  readonly dayRate?: number
  readonly files?: boolean
  /** where the bytes of files are by their keys */
  readonly filesFrom?: string
  readonly passwords?: boolean
  readonly messages?: boolean
  readonly chatDetails?: boolean
  readonly compareIds?: boolean
  /** goes on bringing what is new, and compares ids in the end */
  readonly follow?: boolean
  /** when following ends */
  readonly until?: string
  /** seconds between two looks, 60 unless told */
  readonly every?: number
  readonly allowManyDeletions?: boolean
  readonly withoutAcl?: boolean
}

export type MoveOutcome = {
  readonly result: 'complete' | 'incomplete' | 'failed' | 'stopped'
  /** what the command has said; empty for those who may not change the app */
  readonly text: string
  /** its sentences are notices: codes with values */
  readonly report?: {
    readonly kind: 'brought' | 'foretold' | 'compared'
    readonly [name: string]: unknown
  } | null
  /** why the command has failed, as a notice */
  readonly failure?: {
    readonly code: string
    readonly [name: string]: unknown
  } | null
  readonly at: string
  readonly hasRejected: boolean
}

export type MoveProgress = {
  readonly part: string | null
  readonly done: number
  readonly total: number | null
  readonly records: number
  readonly rejected: number
  readonly since: string
  readonly followedAt?: string
}

export type MoveSource = {
  readonly kind: 'files'
  readonly files: readonly MoveFile[]
} | {
  readonly kind: 'app'
  readonly url: string
  readonly appId: string
  /** an export with the passwords and session tokens of its users, which is uploaded */
  readonly users?: MoveFile
}

export type PulledId = {
  readonly owningId: string | null
  readonly id: string
}

export type PulledPart = {
  readonly source: string
  readonly className: string
  readonly field: string | null
}

export type PushFailure = {
  readonly channel: string | null
  readonly reason: string
  readonly count: number
}

export type RecordKind = {
  readonly kind: 'objects'
  readonly className: string
} | {
  readonly kind: 'relations'
  readonly className: string
  readonly field: string
  readonly targetClass: string | null
} | {
  readonly kind: 'files'
  readonly className: '_File'
} | {
  readonly kind: 'messaging'
  readonly className: 'messaging-messages' | 'messaging-threads' | 'messaging-reads' | 'messaging-temporary' | 'messaging-silences' | 'messaging-blocks' | 'messaging-clientBlocks' | 'messaging-subscriptions' | 'messaging-broadcasts' | 'messaging-notifications' | 'messaging-kicks'
} | {
  readonly kind: 'statistics'
  readonly className: string
  readonly board: string
  readonly version: number
}

export type RefreshedEngine = {
  readonly answers: boolean
  readonly functions: readonly string[]
  readonly hooks: readonly string[]
}

export type RejectedRecord = {
  readonly className: string
  readonly field: string | null
  /** file and line */
  readonly place: string
  readonly text: string
  readonly [name: string]: unknown
}

export type Removal = {
  readonly removed: number
  /** Where the next request goes on; null: all is done */
  readonly next: string | null
}

export type RowCount = {
  readonly count: number
  /** `estimated`: as the database knows without counting; `atLeast`: there are more */
  readonly kind: 'exact' | 'estimated' | 'atLeast'
}

export type TemporaryConversation = {
  readonly id: string
  readonly members: readonly string[]
  readonly creator: string
  readonly createdAt: number
  readonly expiresAt: number
}

/** What each endpoint of the management API answers. */
export interface Answers {
  /** Begins a session by name and password. */
  'POST /admin/login': {
    /** What the header X-CSRF-Token must be. */
    readonly csrfToken: string
  } | {
    readonly needsCode: true
  }

  /** Begins a session by a link, which is used up. */
  'POST /admin/login/link': {
    /** What the header X-CSRF-Token must be. */
    readonly csrfToken: string
  }

  /** Ends the session that asks. */
  'POST /admin/logout': object

  /** Returns the calling administrator and the value for the header X-CSRF-Token. */
  'GET /admin/me': {
    readonly administrator: Administrator
    readonly csrfToken: string
    readonly sessionId: string
  } | {
    readonly administrator: null
  }

  /** Makes a ticket for one path, with which the browser itself may begin a download within a minute. */
  'POST /admin/me/download-tickets': {
    readonly ticket: string
  }

  /** Sets one's password; all other sessions end. */
  'PUT /admin/me/password': object

  /** Begins to have one-time codes, which count once one was confirmed. */
  'POST /admin/me/codes': {
    readonly secret: string
    readonly uri: string
  }

  /** Ends one-time codes. */
  'DELETE /admin/me/codes': object

  /** Confirms a one-time code: from now on each login needs one. */
  'POST /admin/me/codes/confirm': object

  /** Lists one's sessions. */
  'GET /admin/me/sessions': {
    readonly sessions: readonly {
      readonly id: string
      readonly address: string
      readonly userAgent: string
      readonly createdAt: string
      readonly usedAt: string
    }[]
  }

  /** Ends one of one's sessions. */
  'DELETE /admin/me/sessions/{sessionId}': object

  /** Lists the administrators. */
  'GET /admin/administrators': {
    readonly administrators: readonly Administrator[]
  }

  /** Adds an administrator, and makes the link by which it comes in. */
  'POST /admin/administrators': {
    readonly administrator: Administrator
    readonly link: EntryLink
  }

  /** Changes the name, the role or the apps of an administrator. */
  'PATCH /admin/administrators/{id}': Administrator

  /** Removes an administrator; its sessions end. */
  'DELETE /admin/administrators/{id}': object

  /** Makes a link that lets an administrator in once, in place of a forgotten password. */
  'POST /admin/administrators/{id}/link': {
    readonly link: EntryLink
  }

  /** Lists what was changed, the newest first. */
  'GET /admin/audit': {
    readonly changes: readonly ({
      readonly id: number
      readonly at: string
      readonly administrator: string | null
      /** null: the administrator's token */
      readonly name: string | null
      readonly address: string
      readonly appId: string | null
      readonly method: string
      readonly path: string
      /** names of the members of the body */
      readonly members: readonly string[]
      /** of HTTP; null: the change has not ended, or the server ended first */
      readonly status: number | null
    })[]
  }

  /** Describes the management API (OpenAPI 3.1). */
  'GET /admin/openapi.json': {
    readonly [name: string]: unknown
  }

  /** Returns the state of the node that answers. */
  'GET /admin/health': {
    /** the node that answers; the figures of others are in the history */
    readonly node: string
    readonly startedAt: string
    readonly runtime: string
    readonly redis: 'connected' | 'disconnected' | null
    readonly state: {
      readonly httpConnections: number
      readonly websockets: number
      /** statements that wait for a connection to the database */
      readonly waiting: number
      readonly memory: number
      readonly diskFree: number
      readonly diskTotal: number
    }
    readonly database: {
      readonly size: number
      /** share of pages found in memory since the database began to count */
      readonly cacheHits: number | null
      readonly dueJobs: number
      readonly failedJobs: number
    }
    readonly apps: readonly ({
      readonly appId: string
      readonly bytes: number
      readonly before: {
        readonly at: string
        readonly bytes: number
      } | null
    })[]
    /** since the node began; latencies in milliseconds */
    readonly routes: readonly ({
      readonly method: string
      readonly route: string
      readonly requests: number
      readonly failed: number
      readonly p50: number | null
      readonly p99: number | null
      readonly seconds: number
    })[]
    readonly slow: readonly {
      readonly method: string
      readonly route: string
      readonly status: number
      readonly milliseconds: number
      readonly at: string
    }[]
  }

  /** Returns what all nodes measured in the last week. */
  'GET /admin/health/history': {
    readonly from: string
    readonly step: number
    readonly points: readonly ({
      readonly at: string
      readonly node: string
      /** a second, as refused (4XX) and failed (5XX) */
      readonly requests: number
      readonly refused: number
      readonly failed: number
      /** milliseconds, as p99 */
      readonly p50: number | null
      readonly p99: number | null
      readonly cacheHits: number | null
      readonly busy: number
      readonly httpConnections: number
      readonly websockets: number
      readonly waiting: number
      readonly dueJobs: number
      readonly failedJobs: number
      readonly memory: number
      readonly databaseSize: number
      readonly diskFree: number
      readonly diskTotal: number
    })[]
  }

  /** Counts background jobs by kind, and lists those in a state, the newest first. */
  'GET /admin/jobs': {
    readonly counts: readonly ({
      readonly kind: string
      readonly state: 'failed' | 'retrying' | 'running' | 'waiting'
      readonly count: number
    })[]
    readonly jobs: readonly ({
      readonly id: number
      readonly kind: string
      readonly state: 'failed' | 'retrying' | 'running' | 'waiting'
      readonly appId: string | null
      readonly attempts: number
      readonly error: string | null
      /** when it failed for good, or is to run */
      readonly at: string
    })[]
  }

  /** Has a job run again that failed. */
  'POST /admin/jobs/{id}/retry': object

  /** Discards a job that failed. */
  'DELETE /admin/jobs/{id}': object

  /** Shows the last lines of the log of the node that answers, each as JSON. */
  'GET /admin/log': {
    readonly node: string
    readonly lines: readonly {
      readonly number: number
      readonly text: string
    }[]
  }

  /** Lists the apps that one may see. */
  'GET /admin/apps': {
    readonly apps: readonly App[]
  }

  /** Makes an app, with keys of its own where none are given. */
  'POST /admin/apps': App

  /** Shows an app; its master and hook keys to those alone who may change it. */
  'GET /admin/apps/{appId}': App

  /** Renames an app, sets its owner's address, or gives it new keys, with which the old ones stop working. */
  'PATCH /admin/apps/{appId}': App

  /** Deletes an app with all it has, for ever. */
  'DELETE /admin/apps/{appId}': object

  /** Shows the settings of an app, without their secrets. */
  'GET /admin/apps/{appId}/settings': {
    readonly [name: string]: unknown
  }

  /** Changes settings by a JSON merge patch (RFC 7396): null sets one back. Names may be paths, such as engine.production. */
  'PATCH /admin/apps/{appId}/settings': {
    readonly [name: string]: unknown
  }

  /** Returns the JSON Schema of the settings; values marked `secret` can be set but are never returned. */
  'GET /admin/apps/{appId}/settings/schema': {
    readonly [name: string]: unknown
  }

  /** Lists the classes with their fields, permissions and indexes. */
  'GET /admin/apps/{appId}/classes': {
    readonly classes: readonly ClassDescription[]
  }

  /** Makes a class. */
  'POST /admin/apps/{appId}/classes': ClassDescription

  /** Shows a class. */
  'GET /admin/apps/{appId}/classes/{className}': ClassDescription

  /** Changes fields, permissions, the default ACL or indexes of a class. */
  'PATCH /admin/apps/{appId}/classes/{className}': ClassDescription

  /** Deletes a class with its objects, for ever. */
  'DELETE /admin/apps/{appId}/classes/{className}': object

  /** Removes a field with its values, as many as a few seconds allow; the field goes with the last of them. */
  'DELETE /admin/apps/{appId}/classes/{className}/fields/{field}': Removal

  /** Lists the indexes of a class with their size and how often they were used. */
  'GET /admin/apps/{appId}/classes/{className}/indexes': {
    readonly indexes: readonly ({
      readonly name: string
      readonly kind: 'sorted' | 'elements' | 'place' | 'class'
      readonly keys: readonly string[]
      readonly unique: boolean
      readonly madeBy: 'homeport' | 'administrator' | 'class' | null
      readonly madeAt: string | null
      readonly bytes: number
      readonly uses: number
      readonly ready: boolean
      readonly progress: number | null
    })[]
  }

  /** Removes an index that was made for a class; where slow queries miss it, it is built again. */
  'DELETE /admin/apps/{appId}/classes/{className}/indexes/{name}': object

  /** Deletes the objects of a class, as many as a few seconds allow; the class stays with its fields. */
  'DELETE /admin/apps/{appId}/classes/{className}/objects': Removal

  /** Returns the slow queries of a class on the node that answers, without their values, by total time, and the indexes for them. */
  'GET /admin/apps/{appId}/classes/{className}/slow-queries': {
    /** The node that answers: each notes its own */
    readonly node: string
    /** Since when this node has noted them */
    readonly since: string
    readonly queries: readonly ({
      /** The condition without its values */
      readonly where: string
      readonly order: string
      readonly times: number
      readonly totalMilliseconds: number
      readonly slowestMilliseconds: number
      readonly lastAt: string
      readonly indexes: readonly ({
        readonly keys: string
        readonly ready: boolean
        readonly madeBy: 'homeport' | 'administrator' | null
        readonly madeAt: string | null
        /** How near the server is to building it, 0 to 1 */
        readonly progress: number
      })[]
    })[]
  }

  /** Returns how much data an app has, and the address for its clients. */
  'GET /admin/apps/{appId}/figures': {
    readonly classes: number
    readonly objects: number
    readonly users: number
    readonly devices: number
    readonly conversations: number
    readonly messages: number
    readonly files: number
    /** In the database, with indexes */
    readonly bytes: number
    /** Names of the figures that the database only estimates */
    readonly estimated: readonly string[]
    /** Where clients reach the server */
    readonly serverUrl: string
  }

  /** Returns how many objects each class has: exact for small classes, estimated for others. */
  'GET /admin/apps/{appId}/class-counts': {
    /** By class name */
    readonly counts: {
      readonly [name: string]: RowCount
    }
  }

  /** Counts the objects of a class that meet a condition. */
  'POST /admin/apps/{appId}/classes/{className}/count': RowCount

  /** Finds objects of a class, page by page in the order of one field. */
  'POST /admin/apps/{appId}/classes/{className}/find': {
    readonly results: readonly {
      readonly objectId: string
      readonly createdAt: string
      readonly updatedAt: string
      readonly ACL: Acl
      readonly [name: string]: unknown
    }[]
    /** What the next page is asked for with; null: this is the last one */
    readonly next: string | null
  }

  /** Makes a deleted object again, under its own id. */
  'POST /admin/apps/{appId}/classes/{className}/restore': object

  /** Returns which of the given keys have no stored bytes. */
  'POST /admin/apps/{appId}/files/missing': {
    readonly missing: readonly string[]
  }

  /** Lists the imports of an app. */
  'GET /admin/apps/{appId}/imports': {
    readonly imports: readonly ImportState[]
  }

  /** Begins an import, or says how far it is. */
  'PUT /admin/apps/{appId}/imports/{importId}': ImportState

  /** Returns the progress of an import. */
  'GET /admin/apps/{appId}/imports/{importId}': ImportState

  /** Writes the next batch of an import, together with the place reached. */
  'POST /admin/apps/{appId}/imports/{importId}/batches': {
    readonly place: ImportPosition
    readonly counts: ImportCounts
    readonly rejected: readonly RejectedRecord[]
    readonly notes: unknown
  } | {
    readonly misplaced: true
    readonly place: ImportPosition
  }

  /** Notes that an import has ended. */
  'POST /admin/apps/{appId}/imports/{importId}/end': ImportState

  /** Lists lines that were not taken, with their reasons. */
  'GET /admin/apps/{appId}/imports/{importId}/rejected': {
    readonly rejected: readonly RejectedRecord[]
    /** number of the last of them */
    readonly last: number
  }

  /** Makes the indexes that classes need after an import, and counts their objects. */
  'POST /admin/apps/{appId}/imports/finish': {
    readonly objects: {
      readonly [name: string]: number
    }
  }

  /** Returns the former and the current addresses of files, and the classes that may mention them. */
  'GET /admin/apps/{appId}/rewritten-urls': {
    readonly base: string | null
    readonly places: readonly string[]
    readonly classes: readonly string[]
  }

  /** Rewrites URLs of files in fields or messages, a page. */
  'POST /admin/apps/{appId}/rewritten-urls': {
    readonly changed: number
    readonly urls: number
    /** objects or messages that were changed at the same moment */
    readonly missed: number
    /** null: this is the last page */
    readonly after: string | null
  }

  /** Compares what a pull has seen with what is here. */
  'POST /admin/apps/{appId}/pulls/differences': {
    readonly missing: number
    readonly known: number
  }

  /** Lists what is here and no longer in the source. */
  'POST /admin/apps/{appId}/pulls/missing': {
    readonly missing: readonly PulledId[]
  }

  /** Removes what the source has no longer. */
  'POST /admin/apps/{appId}/pulls/removals': {
    readonly removed: number
    readonly kept: readonly string[]
  }

  /** Makes a leaderboard as the source has it. */
  'PUT /admin/apps/{appId}/pulls/boards': {
    readonly statisticName: string
    readonly [name: string]: unknown
  }

  /** Lists the moves into an app, the newest first. */
  'GET /admin/apps/{appId}/moves': {
    readonly moves: readonly Move[]
  }

  /** Creates a move and sets its source. */
  'POST /admin/apps/{appId}/moves': Move

  /** Returns the progress and the outcome of a move. */
  'GET /admin/apps/{appId}/moves/{moveId}': Move

  /** Removes a move with its files; what it has brought stays. */
  'DELETE /admin/apps/{appId}/moves/{moveId}': object

  /** Begins to try, bring or verify, or goes on with it. */
  'POST /admin/apps/{appId}/moves/{moveId}/begin': Move

  /** Stops what is under way; it can be gone on with. */
  'POST /admin/apps/{appId}/moves/{moveId}/stop': Move

  /** Ends following: what is new is brought once more, and what was deleted at the source is removed. */
  'POST /admin/apps/{appId}/moves/{moveId}/finish': Move

  /** Asks the source of a move once whether its address and keys are right. */
  'POST /admin/apps/{appId}/moves/check': {
    readonly verdict: 'ok' | 'unknownHost' | 'unreachable' | 'timeout' | 'redirect' | 'notAnApi' | 'refused' | 'failing'
    /** a code of the network, a status of HTTP, or where a redirect leads */
    readonly reason: string | null
  }

  /** Lists the classes that have an object with an id. */
  'GET /admin/apps/{appId}/objects/{objectId}': {
    readonly classes: readonly string[]
  }

  /** Begins to compare a source with what is here. */
  'POST /admin/apps/{appId}/verifications': {
    /** when the first import began */
    readonly importedAt: string | null
    /** how many objects each class has */
    readonly objects: {
      readonly [name: string]: number
    }
  }

  /** Compares some records with what is here. */
  'POST /admin/apps/{appId}/verifications/batches': {
    readonly findings: readonly ({
      readonly what: 'missing' | 'different' | 'unreadable'
      readonly place: string
      readonly [name: string]: unknown
    })[]
    readonly keys: readonly string[]
    /** records without an id */
    readonly nameless: number
    /** records of which all fields were compared */
    readonly compared: number
    readonly notes: unknown
  }

  /** Lists what is here, so that what the source does not have is found. */
  'POST /admin/apps/{appId}/verifications/keys': {
    /** each with the time when it was made */
    readonly keys: readonly (readonly [string, string | null])[]
    readonly isLast: boolean
  }

  /** Compares records of files and bytes, a page; the answer says where the next one begins. */
  'POST /admin/apps/{appId}/files/check': {
    readonly findings: readonly ({
      readonly kind: 'record without bytes' | 'bytes without record' | 'bytes that nothing knows' | 'bytes missing' | 'bytes of another size' | 'bytes of another checksum'
      readonly objectId?: string
      readonly key?: string
      readonly blob?: string
      readonly removed?: true
    })[]
    /** files that were looked at */
    readonly files: number
    /** null: that was all */
    readonly next: FileCheckPosition | null
  }

  /** Returns how a user can log in and whether logins are locked, without secrets. */
  'GET /admin/apps/{appId}/users/{objectId}/login': {
    readonly hasPassword: boolean
    readonly hasSession: boolean
    readonly failures: number
    readonly lockedUntil: string | null
    readonly linked: readonly {
      readonly platform: string
      readonly uids: readonly string[]
    }[]
  }

  /** Lifts the lock of a user's login. */
  'DELETE /admin/apps/{appId}/users/{objectId}/lockout': object

  /** Says which of at most 100 clients of messaging are online. */
  'GET /admin/apps/{appId}/clients/online': {
    readonly online: readonly string[]
  }

  /** Lists the clients of messaging that are online, on all nodes where these know of each other by Redis. */
  'GET /admin/apps/{appId}/clients': {
    readonly clients: readonly string[]
    /** false: other nodes, where there are any, may have more */
    readonly isOfAllNodes: boolean
    /** the node that answers */
    readonly node: string
  }

  /** Lists the messages of a conversation of any kind, the newest first. */
  'GET /admin/apps/{appId}/conversations/{convId}/messages': {
    readonly messages: readonly ({
      readonly id: string
      readonly timestamp: number
      readonly from: string
      readonly receivers: readonly string[]
      readonly content: string
      readonly binary: boolean
      readonly mentionsAll: boolean
      readonly mentions: readonly string[]
      readonly editedAt: number | null
      readonly recalled: boolean
      readonly ip: string | null
    })[]
  }

  /** Lists the clients that may not speak in a conversation, with the ends of their silences. */
  'GET /admin/apps/{appId}/conversations/{convId}/silences': {
    readonly silences: readonly ({
      readonly clientId: string
      readonly until: number | null
    })[]
  }

  /** Lists the temporary conversations that have not ended, those that end last first. */
  'GET /admin/apps/{appId}/temporary-conversations': {
    readonly conversations: readonly TemporaryConversation[]
  }

  /** Shows a temporary conversation that has not ended. */
  'GET /admin/apps/{appId}/temporary-conversations/{convId}': TemporaryConversation

  /** Lists the pushes of the last days with what came of them, the newest first. */
  'GET /admin/apps/{appId}/pushes': {
    readonly pushes: readonly ({
      readonly id: string
      readonly createdAt: string
      readonly updatedAt: string
      readonly pushAt: string | null
      readonly status: string
      readonly environment: string
      readonly service: string
      readonly data: {
        readonly [name: string]: unknown
      }
      readonly target: {
        readonly [name: string]: unknown
      }
      readonly devices: number
      readonly successes: {
        readonly [name: string]: number
      }
      readonly failures: readonly PushFailure[]
    })[]
  }

  /** Shows what came of a push, and how many devices were given up. */
  'GET /admin/apps/{appId}/pushes/{pushId}': {
    readonly id: string
    readonly createdAt: string
    readonly updatedAt: string
    readonly pushAt: string | null
    readonly status: string
    readonly environment: string
    readonly service: string
    readonly data: {
      readonly [name: string]: unknown
    }
    readonly target: {
      readonly [name: string]: unknown
    }
    readonly devices: number
    readonly successes: {
      readonly [name: string]: number
    }
    readonly failures: readonly PushFailure[]
    readonly givenUp: GivenUpDevices
  }

  /** Sends a push again to the devices that were given up, and to no others. */
  'POST /admin/apps/{appId}/pushes/{pushId}/retry': GivenUpDevices

  /** Counts the devices that a push would be for, to 100,000. */
  'GET /admin/apps/{appId}/pushes/audience': {
    readonly devices: number
    readonly isMore: boolean
    readonly byType: {
      readonly [name: string]: number
    }
    /** Where no device would get it: those that match and get nothing */
    readonly unreachable?: {
      /** Devices whose `valid` is not true */
      readonly invalid: number
      /** Valid devices that were not heard of for 90 days */
      readonly inactive: number
    }
  }

  /** Lists the credentials for providers of pushes, without their secrets. */
  'GET /admin/apps/{appId}/push-credentials': {
    readonly credentials: readonly ({
      readonly provider: 'apns' | 'hms' | 'honor' | 'mi' | 'mz' | 'oppo' | 'vivo' | 'fcm'
      readonly kind: 'key' | 'certificate' | 'account'
      readonly name: string
      readonly validUntil: number | null
    })[]
  }

  /** Shows a credential to its provider, with a message for no device. */
  'POST /admin/apps/{appId}/push-credentials/check': {
    readonly verdict: 'valid' | 'refused' | 'unreachable'
    readonly reason?: string
  }

  /** Returns where the app's cloud code runs, its functions and hooks, and recent failures on the node that answers. */
  'GET /admin/apps/{appId}/engine': {
    readonly production: Engine | null
    readonly staging: Engine | null
    readonly failures: readonly {
      readonly at: string
      readonly hook: string
      readonly reason: string
    }[]
    /** the node that answers: each notes its own failures */
    readonly node: string
  }

  /** Has the app's cloud code run a function, and tells what it answered. */
  'POST /admin/apps/{appId}/engine/functions/{name}': {
    readonly status: number
    readonly answer: {
      readonly [name: string]: unknown
    }
    readonly milliseconds: number
  }

  /** Reads anew which functions and hooks the app's cloud code has. */
  'POST /admin/apps/{appId}/engine/refresh': {
    readonly production: RefreshedEngine | null
    readonly staging: RefreshedEngine | null
  }

  /** Lists the newest hundred tasks of the app's cloud queue. */
  'GET /admin/apps/{appId}/tasks': {
    readonly tasks: readonly ({
      readonly id: string
      readonly function: string
      readonly status: string
      readonly runAt: string | null
      readonly finishedAt: string | null
      readonly failures: number
      readonly error: string | null
    })[]
  }

  /** Counts live queries and their subscribers by class, on all nodes. */
  'GET /admin/apps/{appId}/live-queries': {
    readonly classes: readonly {
      readonly className: string
      readonly queries: number
      readonly subscribers: number
    }[]
  }

  /** Lists the scheduled functions of an app, and how their last runs ended. */
  'GET /admin/apps/{appId}/schedules': {
    readonly schedules: readonly ({
      readonly name: string
      readonly function: string
      readonly nextRunAt: string | null
      readonly lastRunAt: string | null
      /** null while it runs, and when its server ended */
      readonly lastOutcome: {
        readonly status: number
        readonly error: string | null
        readonly endedAt: string
      } | null
      readonly disabledAt: string | null
    })[]
  }

  /** Lists the classes that are searched, and how far their indexes are. */
  'GET /admin/apps/{appId}/search': {
    readonly classes: readonly {
      readonly className: string
      readonly fields: readonly string[]
      /** objects that were there before are being indexed */
      readonly building: boolean
      /** writes that are not indexed yet */
      readonly pending: number
    }[]
  }

  /** Has the objects of a class indexed anew while it serves. */
  'POST /admin/apps/{appId}/search/rebuild': object
}

/** The body that each endpoint of the management API takes, of those that take one. */
export interface Bodies {
  /** Begins a session by name and password. */
  'POST /admin/login': {
    readonly name: string
    readonly password: string
    readonly code?: string
  }

  /** Begins a session by a link, which is used up. */
  'POST /admin/login/link': {
    readonly token: string
  }

  /** Makes a ticket for one path, with which the browser itself may begin a download within a minute. */
  'POST /admin/me/download-tickets': {
    readonly path: string
  }

  /** Sets one's password; all other sessions end. */
  'PUT /admin/me/password': {
    readonly currentPassword?: string
    readonly password: string
  }

  /** Begins to have one-time codes, which count once one was confirmed. */
  'POST /admin/me/codes': {
    readonly currentPassword?: string
  }

  /** Ends one-time codes. */
  'DELETE /admin/me/codes': {
    readonly currentPassword?: string
  }

  /** Confirms a one-time code: from now on each login needs one. */
  'POST /admin/me/codes/confirm': {
    readonly code: string
  }

  /** Adds an administrator, and makes the link by which it comes in. */
  'POST /admin/administrators': {
    readonly name: string
    readonly role: 'owner' | 'administrator' | 'reader'
    readonly apps?: readonly string[] | null
  }

  /** Changes the name, the role or the apps of an administrator. */
  'PATCH /admin/administrators/{id}': {
    readonly name?: string
    readonly role?: 'owner' | 'administrator' | 'reader'
    readonly apps?: readonly string[] | null
  }

  /** Makes an app, with keys of its own where none are given. */
  'POST /admin/apps': {
    readonly name?: string
    readonly ownerEmail?: string | null
    readonly appId?: string
    readonly appKey?: string
    readonly masterKey?: string
    readonly hookKey?: string
  }

  /** Renames an app, sets its owner's address, or gives it new keys, with which the old ones stop working. */
  'PATCH /admin/apps/{appId}': {
    readonly name?: string
    readonly ownerEmail?: string | null
    /** true: all three */
    readonly rotateKeys?: true | readonly ('appKey' | 'masterKey' | 'hookKey')[]
  }

  /** Changes settings by a JSON merge patch (RFC 7396): null sets one back. Names may be paths, such as engine.production. */
  'PATCH /admin/apps/{appId}/settings': {
    readonly [name: string]: unknown
  }

  /** Makes a class. */
  'POST /admin/apps/{appId}/classes': {
    readonly className: string
    readonly permissions?: { readonly [name in 'create' | 'find' | 'get' | 'update' | 'delete' | 'addField']?: ClassPermission }
    readonly defaultAcl?: {
      readonly [name: string]: unknown
    } | null
    readonly fields?: {
      readonly [name: string]: FieldDeclaration
    }
    readonly indexes?: readonly IndexDeclaration[]
  }

  /** Changes fields, permissions, the default ACL or indexes of a class. */
  'PATCH /admin/apps/{appId}/classes/{className}': {
    readonly permissions?: { readonly [name in 'create' | 'find' | 'get' | 'update' | 'delete' | 'addField']?: ClassPermission }
    readonly defaultAcl?: {
      readonly [name: string]: unknown
    } | null
    readonly fields?: {
      readonly [name: string]: FieldDeclaration
    }
    readonly indexes?: readonly IndexDeclaration[]
  }

  /** Counts the objects of a class that meet a condition. */
  'POST /admin/apps/{appId}/classes/{className}/count': {
    /** The condition, as in class queries */
    readonly where?: unknown
  }

  /** Finds objects of a class, page by page in the order of one field. */
  'POST /admin/apps/{appId}/classes/{className}/find': {
    /** The condition, as in class queries */
    readonly where?: unknown
    /** One field, with a minus for the greatest first */
    readonly order?: string
    /** Fields separated by commas; all unless told */
    readonly keys?: string
    readonly limit?: number
    /** `next` of the page before */
    readonly after?: string
  }

  /** Makes a deleted object again, under its own id. */
  'POST /admin/apps/{appId}/classes/{className}/restore': {
    readonly objectId: string
    readonly createdAt: string
    /** With `ACL` as it was */
    readonly fields: {
      readonly [name: string]: unknown
    }
  }

  /** Returns which of the given keys have no stored bytes. */
  'POST /admin/apps/{appId}/files/missing': {
    readonly keys: readonly string[]
  }

  /** Begins an import, or says how far it is. */
  'PUT /admin/apps/{appId}/imports/{importId}': {
    readonly source: string
    readonly again?: boolean
  }

  /** Writes the next batch of an import, together with the place reached. */
  'POST /admin/apps/{appId}/imports/{importId}/batches': {
    readonly of: RecordKind | {
      readonly kind: 'boards'
      readonly className: 'leaderboard-boards'
    } | {
      readonly kind: 'inboxes'
      readonly className: 'social-inboxes'
    } | {
      readonly kind: 'ids'
      readonly className: string
      readonly field: string | null
    }
    readonly file: string
    readonly from: ImportPosition
    readonly to: ImportPosition
    readonly onConflict: 'skip' | 'overwrite' | 'newer'
    readonly strict?: boolean
    readonly mark?: string
    readonly source?: string
    readonly dryRun: boolean
    readonly items: readonly ImportItem[]
  }

  /** Makes the indexes that classes need after an import, and counts their objects. */
  'POST /admin/apps/{appId}/imports/finish': {
    readonly classes: readonly string[]
  }

  /** Rewrites URLs of files in fields or messages, a page. */
  'POST /admin/apps/{appId}/rewritten-urls': {
    readonly of: 'messages' | {
      readonly className: string
      readonly fields: readonly string[] | null
    }
    readonly after: string | null
    readonly places: readonly string[]
  }

  /** Compares what a pull has seen with what is here. */
  'POST /admin/apps/{appId}/pulls/differences': {
    readonly part: PulledPart
  }

  /** Lists what is here and no longer in the source. */
  'POST /admin/apps/{appId}/pulls/missing': {
    readonly part: PulledPart
    readonly most: number
  }

  /** Removes what the source has no longer. */
  'POST /admin/apps/{appId}/pulls/removals': {
    readonly part: PulledPart
    readonly gone: readonly PulledId[]
    readonly found: readonly PulledId[]
  }

  /** Makes a leaderboard as the source has it. */
  'PUT /admin/apps/{appId}/pulls/boards': {
    readonly version: number
    readonly activatedAt: unknown
    readonly expiredAt: unknown
    readonly [name: string]: unknown
  }

  /** Creates a move and sets its source. */
  'POST /admin/apps/{appId}/moves': {
    readonly source: MoveSource
    readonly masterKey?: string
  }

  /** Begins to try, bring or verify, or goes on with it. */
  'POST /admin/apps/{appId}/moves/{moveId}/begin': {
    /** `try` changes nothing, `bring` brings the data, `verify` compares */
    readonly action: 'try' | 'bring' | 'verify'
    readonly options?: MoveOptions
    readonly masterKey?: string
  }

  /** Asks the source of a move once whether its address and keys are right. */
  'POST /admin/apps/{appId}/moves/check': {
    readonly url: string
    readonly appId: string
    readonly masterKey: string
  }

  /** Begins to compare a source with what is here. */
  'POST /admin/apps/{appId}/verifications': {
    readonly count?: readonly string[]
  }

  /** Compares some records with what is here. */
  'POST /admin/apps/{appId}/verifications/batches': {
    readonly of: RecordKind
    readonly file: string
    readonly items: readonly ImportItem[]
    readonly share?: number
    readonly formerPlaces?: readonly string[]
  }

  /** Lists what is here, so that what the source does not have is found. */
  'POST /admin/apps/{appId}/verifications/keys': {
    readonly of: RecordKind
    readonly after?: string | null
  }

  /** Compares records of files and bytes, a page; the answer says where the next one begins. */
  'POST /admin/apps/{appId}/files/check': {
    readonly from: FileCheckPosition | null
    readonly checksums?: boolean
    readonly repair?: boolean
  }

  /** Shows a credential to its provider, with a message for no device. */
  'POST /admin/apps/{appId}/push-credentials/check': {
    readonly provider: 'apns' | 'hms' | 'honor' | 'mi' | 'mz' | 'oppo' | 'vivo' | 'fcm'
    readonly kind: 'key' | 'certificate' | 'account'
    readonly name: string
  }

  /** Has the app's cloud code run a function, and tells what it answered. */
  'POST /admin/apps/{appId}/engine/functions/{name}': {
    readonly parameters?: {
      readonly [name: string]: unknown
    }
    readonly production?: boolean
    /** whose call it is; with the master key where it is missing */
    readonly sessionToken?: string
  }
}
