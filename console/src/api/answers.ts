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
  /** Base URLs of the files that are the same for every caller. */
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
  /** The fields of each */
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
  /** number of devices whose provider rejected all attempts */
  readonly devices: number
  /** whether it ended before all devices were processed */
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

export type ListedBackups = readonly ({
  readonly name: string
  readonly startedAt: string
  /** false: it failed, or was stored at another target */
  readonly isStored: boolean
  readonly bytes: number | null
  readonly isEncrypted: boolean | null
  readonly hasDatabase: boolean | null
  /** null: another data directory made it */
  readonly run: {
    readonly name: string
    /** 'wal': the archive of the write-ahead log needs a new backup to begin from */
    readonly trigger: 'manual' | 'schedule' | 'wal'
    readonly startedAt: string
    /** null: it runs */
    readonly endedAt: string | null
    readonly state: 'running' | 'succeeded' | 'failed'
    readonly error: string | null
    /** stored bytes */
    readonly bytes: number | null
    /** what was read from the started copy; null: only the sums were checked */
    readonly checked: {
      readonly tables: number
      readonly rows: number
    } | null
    /** why the copy was not started */
    readonly skipped: 'external' | 'space' | null
  } | null
})[]

export type Move = {
  readonly id: string
  readonly source: MoveSource
  /** whether the master key of the source is set */
  readonly hasKey: boolean
  readonly received: readonly number[] | null
  /** the running action */
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
  /** encoding of all texts of files; default: detected for each file */
  readonly encoding?: 'utf-8' | 'gb18030' | 'utf-16le' | 'utf-16be'
  readonly again?: boolean
  readonly rewriteUrls?: boolean
  /** texts in which `rewriteUrls` rewrites URLs; default: all */
  readonly rewriteFields?: readonly string[]
  /** former hosts of files, in addition to those in their records */
  readonly oldDomains?: readonly string[]
  /** maximum requests per second to a running source */
  readonly rate?: number
  /** classes read at the same time; default: 1 */
  readonly parallel?: number
  /** hours in which `rate` applies, by the clock of the server; at other times `dayRate` applies */
  readonly nightHours?: string
  /** default: a tenth of `rate`; only with `nightHours` */
  readonly dayRate?: number
  readonly files?: boolean
  /** URL under which the bytes of files are available by their keys */
  readonly filesFrom?: string
  readonly passwords?: boolean
  readonly messages?: boolean
  readonly chatDetails?: boolean
  readonly compareIds?: boolean
  /** continues to copy new data, and compares ids at the end */
  readonly follow?: boolean
  /** when following ends */
  readonly until?: string
  /** seconds between two rounds; default: 60 */
  readonly every?: number
  readonly allowManyDeletions?: boolean
  readonly withoutAcl?: boolean
}

export type MoveOutcome = {
  readonly result: 'complete' | 'incomplete' | 'failed' | 'stopped'
  /** output of the command; empty if the caller cannot change the app */
  readonly text: string
  /** its sentences are notices: codes with values */
  readonly report?: {
    readonly kind: 'brought' | 'foretold' | 'compared'
    readonly [name: string]: unknown
  } | null
  /** why the command failed, as a notice */
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
  /** an uploaded export with the passwords and session tokens of the users */
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
  /** Position for the next request; null: all is done */
  readonly next: string | null
}

export type RowCount = {
  readonly count: number
  /** `estimated`: estimate of the database; `atLeast`: lower bound */
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
  /** Starts a session with name and password. */
  'POST /admin/login': {
    /** Required value of the header X-CSRF-Token. */
    readonly csrfToken: string
  } | {
    readonly needsCode: true
  }

  /** Starts a session with a link, which can be used once. */
  'POST /admin/login/link': {
    /** Required value of the header X-CSRF-Token. */
    readonly csrfToken: string
  }

  /** Ends the current session. */
  'POST /admin/logout': object

  /** Returns the calling administrator and the value for the header X-CSRF-Token. */
  'GET /admin/me': {
    readonly administrator: Administrator
    readonly csrfToken: string
    readonly sessionId: string
  } | {
    readonly administrator: null
  }

  /** Creates a ticket for one path, with which the browser can start a download within a minute. */
  'POST /admin/me/download-tickets': {
    readonly ticket: string
  }

  /** Sets the password of the caller and ends all other sessions. */
  'PUT /admin/me/password': object

  /** Creates a secret for one-time codes; they are required once one is confirmed. */
  'POST /admin/me/codes': {
    readonly secret: string
    readonly uri: string
  }

  /** Disables one-time codes. */
  'DELETE /admin/me/codes': object

  /** Confirms a one-time code; from then on each login requires one. */
  'POST /admin/me/codes/confirm': object

  /** Lists the sessions of the caller. */
  'GET /admin/me/sessions': {
    readonly sessions: readonly {
      readonly id: string
      readonly address: string
      readonly userAgent: string
      readonly createdAt: string
      readonly usedAt: string
    }[]
  }

  /** Ends a session of the caller. */
  'DELETE /admin/me/sessions/{sessionId}': object

  /** Lists the administrators. */
  'GET /admin/administrators': {
    readonly administrators: readonly Administrator[]
  }

  /** Adds an administrator and creates a login link. */
  'POST /admin/administrators': {
    readonly administrator: Administrator
    readonly link: EntryLink
  }

  /** Changes the name, the role or the apps of an administrator. */
  'PATCH /admin/administrators/{id}': Administrator

  /** Removes an administrator and ends the sessions. */
  'DELETE /admin/administrators/{id}': object

  /** Creates a login link that an administrator can use once, for example after forgetting the password. */
  'POST /admin/administrators/{id}/link': {
    readonly link: EntryLink
  }

  /** Lists the changes, newest first. */
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
      /** HTTP status; null: the change has not ended, or the server ended first */
      readonly status: number | null
    })[]
  }

  /** Lists the backups of the responding node, newest first, and the state of their target. */
  'GET /admin/backups': {
    /** without credentials */
    readonly target: string
    /** why stored backups cannot be listed */
    readonly targetError: string | null
    /** its path on the machine of the server; null: it is not a folder */
    readonly folder: string | null
    /** whether backups are stored in the data directory, which they should outlive */
    readonly isInData: boolean
    readonly isEncrypted: boolean
    /** false: the database is external, and its own tools back it up */
    readonly includesDatabase: boolean
    /** the backup in progress */
    readonly running: {
      readonly name: string
      readonly since: string
      readonly part: 'files' | 'files-added' | 'database' | 'server' | 'check'
    } | null
    /** null: backups are not scheduled */
    readonly nextRun: string | null
    /** the archive of the write-ahead log; null: off */
    readonly wal: {
      readonly archivedUntil: string | null
      readonly waitingBytes: number
      readonly error: string | null
      readonly interruptedSince: string | null
    } | null
    readonly backups: ListedBackups
  }

  /** Begins a backup. */
  'POST /admin/backups': {
    readonly name: string
  }

  /** Describes the management API (OpenAPI 3.1). */
  'GET /admin/openapi.json': {
    readonly [name: string]: unknown
  }

  /** Examines the responding node, the servers that it uses, and all apps. Calls during a run get its report. */
  'POST /admin/doctor': {
    readonly node: string
    readonly at: string
    readonly findings: readonly ({
      readonly level: 'ok' | 'warning' | 'error'
      /** stable name */
      readonly id: string
      readonly text: string
      /** how to fix the problem; null: there is none */
      readonly fix: string | null
      readonly notices: {
        /** a code with its values, for other languages */
        readonly text: {
          readonly code: string
          readonly [name: string]: unknown
        }
        readonly fix: {
          readonly code: string
          readonly [name: string]: unknown
        } | null
      }
    })[]
  }

  /** Returns the state of the responding node. */
  'GET /admin/health': {
    /** the responding node; the figures of other nodes are in the history */
    readonly node: string
    readonly startedAt: string
    readonly version: string
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
      /** share of pages found in memory since the statistics of the database began */
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
    /** since the node started; latencies in milliseconds */
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

  /** Returns the current alerts, as of the last minute. */
  'GET /admin/alerts': {
    readonly alerts: readonly ({
      readonly alert: string
      /** the node that it concerns; null: all */
      readonly node: string | null
      /** as a notice */
      readonly problem: {
        readonly code: string
        readonly [name: string]: unknown
      }
      readonly since: string
    })[]
  }

  /** Sends a test alert to the recipients and the webhook now. */
  'POST /admin/alerts/test': {
    /** recipients of the mail; 0 when none are configured */
    readonly recipients: number
    /** why it could not be sent; null when it was */
    readonly mailProblem: string | null
    /** null: no webhook is configured */
    readonly webhook: {
      readonly format: 'json' | 'slack' | 'wecom' | 'dingtalk' | 'feishu'
      /** why it could not be sent; null when it was */
      readonly problem: string | null
    } | null
  }

  /** Returns the measurements of all nodes in the last week. */
  'GET /admin/health/history': {
    readonly from: string
    readonly step: number
    readonly points: readonly ({
      readonly at: string
      readonly node: string
      /** per second, as are refused (4XX) and failed (5XX) */
      readonly requests: number
      readonly refused: number
      readonly failed: number
      /** in milliseconds, as is p99 */
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

  /** Counts background jobs by kind, and lists those in a state, newest first. */
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
      /** when it failed finally, or is due */
      readonly at: string
    })[]
  }

  /** Retries a failed job. */
  'POST /admin/jobs/{id}/retry': object

  /** Discards a failed job. */
  'DELETE /admin/jobs/{id}': object

  /** Returns the last lines of the log of the responding node, each as JSON. */
  'GET /admin/log': {
    readonly node: string
    readonly lines: readonly {
      readonly number: number
      readonly text: string
    }[]
  }

  /** Lists the apps that the caller can see. */
  'GET /admin/apps': {
    readonly apps: readonly App[]
  }

  /** Creates an app; keys that are not given are generated. */
  'POST /admin/apps': App

  /** Returns an app; the master and hook keys only if the caller can change the app. */
  'GET /admin/apps/{appId}': App

  /** Renames an app, sets its owner's address, or replaces its keys; old keys stop working. */
  'PATCH /admin/apps/{appId}': App

  /** Deletes an app with all its data, permanently. */
  'DELETE /admin/apps/{appId}': object

  /** Returns the settings of an app, without their secrets. */
  'GET /admin/apps/{appId}/settings': {
    readonly [name: string]: unknown
  }

  /** Changes settings by a JSON merge patch (RFC 7396): null restores the default. Names can be paths, such as engine.production. */
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

  /** Creates a class. */
  'POST /admin/apps/{appId}/classes': ClassDescription

  /** Returns a class. */
  'GET /admin/apps/{appId}/classes/{className}': ClassDescription

  /** Changes fields, permissions, the default ACL or indexes of a class. */
  'PATCH /admin/apps/{appId}/classes/{className}': ClassDescription

  /** Deletes a class with its objects, permanently. */
  'DELETE /admin/apps/{appId}/classes/{className}': object

  /** Deletes a field with its values, as many as a few seconds allow; the field is deleted with the last value. */
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

  /** Deletes an index of a class; it is rebuilt if slow queries need it. */
  'DELETE /admin/apps/{appId}/classes/{className}/indexes/{name}': object

  /** Deletes the objects of a class, as many as a few seconds allow; the class and its fields remain. */
  'DELETE /admin/apps/{appId}/classes/{className}/objects': Removal

  /** Returns the slow queries of a class on the responding node, without their values, by total time, and the indexes for them. */
  'GET /admin/apps/{appId}/classes/{className}/slow-queries': {
    /** The responding node; each node records its own queries */
    readonly node: string
    /** When this node began to record them */
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
        /** How close the server is to building it, 0 to 1 */
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
    /** Names of the figures that are estimates of the database */
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

  /** Counts the objects of a class that match a condition. */
  'POST /admin/apps/{appId}/classes/{className}/count': RowCount

  /** Finds objects of a class, in pages ordered by one field. */
  'POST /admin/apps/{appId}/classes/{className}/find': {
    readonly results: readonly {
      readonly objectId: string
      readonly createdAt: string
      readonly updatedAt: string
      readonly ACL: Acl
      readonly [name: string]: unknown
    }[]
    /** Value of `after` for the next page; null: this is the last page */
    readonly next: string | null
  }

  /** Restores a deleted object under its original id. */
  'POST /admin/apps/{appId}/classes/{className}/restore': object

  /** Returns which of the given keys have no stored bytes. */
  'POST /admin/apps/{appId}/files/missing': {
    readonly missing: readonly string[]
  }

  /** Lists the imports of an app. */
  'GET /admin/apps/{appId}/imports': {
    readonly imports: readonly ImportState[]
  }

  /** Starts an import, or returns its progress. */
  'PUT /admin/apps/{appId}/imports/{importId}': ImportState

  /** Returns the progress of an import. */
  'GET /admin/apps/{appId}/imports/{importId}': ImportState

  /** Writes the next batch of an import, together with its position. */
  'POST /admin/apps/{appId}/imports/{importId}/batches': {
    readonly place: ImportPosition
    readonly counts: ImportCounts
    readonly rejected: readonly RejectedRecord[]
    readonly notes: unknown
  } | {
    readonly misplaced: true
    readonly place: ImportPosition
  }

  /** Marks an import as finished. */
  'POST /admin/apps/{appId}/imports/{importId}/end': ImportState

  /** Lists rejected lines with their reasons. */
  'GET /admin/apps/{appId}/imports/{importId}/rejected': {
    readonly rejected: readonly RejectedRecord[]
    /** number of the last one */
    readonly last: number
  }

  /** Builds the indexes that classes need after an import, and counts their objects. */
  'POST /admin/apps/{appId}/imports/finish': {
    readonly objects: {
      readonly [name: string]: number
    }
  }

  /** Returns the former and current addresses of files, and the classes that can contain them. */
  'GET /admin/apps/{appId}/rewritten-urls': {
    readonly base: string | null
    readonly places: readonly string[]
    readonly classes: readonly string[]
  }

  /** Rewrites URLs of files in fields or messages, one page. */
  'POST /admin/apps/{appId}/rewritten-urls': {
    readonly changed: number
    readonly urls: number
    /** objects or messages that were changed at the same time */
    readonly missed: number
    /** null: this is the last page */
    readonly after: string | null
  }

  /** Compares the objects seen by a pull with the objects of the app. */
  'POST /admin/apps/{appId}/pulls/differences': {
    readonly missing: number
    readonly known: number
  }

  /** Lists objects of the app that are no longer in the source. */
  'POST /admin/apps/{appId}/pulls/missing': {
    readonly missing: readonly PulledId[]
  }

  /** Deletes objects that are no longer in the source. */
  'POST /admin/apps/{appId}/pulls/removals': {
    readonly removed: number
    readonly kept: readonly string[]
  }

  /** Creates a leaderboard like that of the source. */
  'PUT /admin/apps/{appId}/pulls/boards': {
    readonly statisticName: string
    readonly [name: string]: unknown
  }

  /** Lists the moves of an app, newest first. */
  'GET /admin/apps/{appId}/moves': {
    readonly moves: readonly Move[]
  }

  /** Creates a move and sets its source. */
  'POST /admin/apps/{appId}/moves': Move

  /** Returns the progress and the outcome of a move. */
  'GET /admin/apps/{appId}/moves/{moveId}': Move

  /** Deletes a move with its files; copied data remains. */
  'DELETE /admin/apps/{appId}/moves/{moveId}': object

  /** Starts or continues to try, bring or verify. */
  'POST /admin/apps/{appId}/moves/{moveId}/begin': Move

  /** Stops the running action; it can be continued. */
  'POST /admin/apps/{appId}/moves/{moveId}/stop': Move

  /** Ends following: copies new data once more, and deletes what was deleted at the source. */
  'POST /admin/apps/{appId}/moves/{moveId}/finish': Move

  /** Checks address and keys of the source of a move with one request. */
  'POST /admin/apps/{appId}/moves/check': {
    readonly verdict: 'ok' | 'unknownHost' | 'unreachable' | 'timeout' | 'redirect' | 'notAnApi' | 'refused' | 'failing'
    /** a network error code, an HTTP status, or the target of a redirect */
    readonly reason: string | null
  }

  /** Lists the classes that contain an object with a given id. */
  'GET /admin/apps/{appId}/objects/{objectId}': {
    readonly classes: readonly string[]
  }

  /** Starts to compare a source with the app. */
  'POST /admin/apps/{appId}/verifications': {
    /** when the first import began */
    readonly importedAt: string | null
    /** how many objects each class has */
    readonly objects: {
      readonly [name: string]: number
    }
  }

  /** Compares records with the app. */
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

  /** Lists the records of the app, to find those that are missing in the source. */
  'POST /admin/apps/{appId}/verifications/keys': {
    /** each with its creation time */
    readonly keys: readonly (readonly [string, string | null])[]
    readonly isLast: boolean
  }

  /** Compares file records with stored bytes, one page; the response says where the next page begins. */
  'POST /admin/apps/{appId}/files/check': {
    readonly findings: readonly ({
      readonly kind: 'record without bytes' | 'bytes without record' | 'bytes that nothing knows' | 'bytes missing' | 'bytes of another size' | 'bytes of another checksum'
      readonly objectId?: string
      readonly key?: string
      readonly blob?: string
      readonly removed?: true
    })[]
    /** files that were checked */
    readonly files: number
    /** null: all files were checked */
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

  /** Unlocks the login of a user. */
  'DELETE /admin/apps/{appId}/users/{objectId}/lockout': object

  /** Returns which of at most 100 messaging clients are online. */
  'GET /admin/apps/{appId}/clients/online': {
    readonly online: readonly string[]
  }

  /** Lists the messaging clients that are online: on all nodes if they share Redis, else on the responding node. */
  'GET /admin/apps/{appId}/clients': {
    readonly clients: readonly string[]
    /** false: other nodes can have more clients */
    readonly isOfAllNodes: boolean
    /** the responding node */
    readonly node: string
  }

  /** Lists the messages of a conversation of any kind, newest first. */
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

  /** Lists the silenced clients of a conversation, with the times when their silences end. */
  'GET /admin/apps/{appId}/conversations/{convId}/silences': {
    readonly silences: readonly ({
      readonly clientId: string
      readonly until: number | null
    })[]
  }

  /** Lists the temporary conversations that have not ended, the last to end first. */
  'GET /admin/apps/{appId}/temporary-conversations': {
    readonly conversations: readonly TemporaryConversation[]
  }

  /** Returns a temporary conversation that has not ended. */
  'GET /admin/apps/{appId}/temporary-conversations/{convId}': TemporaryConversation

  /** Lists the pushes of the last days with their results, newest first. */
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

  /** Returns the result of a push, and for how many devices it failed. */
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

  /** Sends a push again, only to the devices for which it failed. */
  'POST /admin/apps/{appId}/pushes/{pushId}/retry': GivenUpDevices

  /** Counts the devices that would receive a push, up to 100,000. */
  'GET /admin/apps/{appId}/pushes/audience': {
    readonly devices: number
    readonly isMore: boolean
    readonly byType: {
      readonly [name: string]: number
    }
    /** If no device would receive it: matching devices that receive nothing */
    readonly unreachable?: {
      /** Devices whose `valid` is not true */
      readonly invalid: number
      /** Valid devices without activity for 90 days */
      readonly inactive: number
    }
  }

  /** Lists the credentials of push providers, without their secrets. */
  'GET /admin/apps/{appId}/push-credentials': {
    readonly credentials: readonly ({
      readonly provider: 'apns' | 'hms' | 'honor' | 'mi' | 'mz' | 'oppo' | 'vivo' | 'fcm'
      readonly kind: 'key' | 'certificate' | 'account'
      readonly name: string
      readonly validUntil: number | null
    })[]
  }

  /** Checks a credential with its provider, by a message to no device. */
  'POST /admin/apps/{appId}/push-credentials/check': {
    readonly verdict: 'valid' | 'refused' | 'unreachable'
    readonly reason?: string
  }

  /** Returns where the app's cloud code runs, its functions and hooks, and recent failures on the responding node. */
  'GET /admin/apps/{appId}/engine': {
    readonly production: Engine | null
    readonly staging: Engine | null
    readonly failures: readonly {
      readonly at: string
      readonly hook: string
      readonly reason: string
    }[]
    /** the responding node; each node records its own failures */
    readonly node: string
  }

  /** Calls a function of the app's cloud code and returns its response. */
  'POST /admin/apps/{appId}/engine/functions/{name}': {
    readonly status: number
    readonly answer: {
      readonly [name: string]: unknown
    }
    readonly milliseconds: number
  }

  /** Reloads the list of functions and hooks from the app's cloud code. */
  'POST /admin/apps/{appId}/engine/refresh': {
    readonly production: RefreshedEngine | null
    readonly staging: RefreshedEngine | null
  }

  /** Lists the newest 100 tasks of the app's cloud queue. */
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

  /** Lists the scheduled functions of an app, and the results of their last runs. */
  'GET /admin/apps/{appId}/schedules': {
    readonly schedules: readonly ({
      readonly name: string
      readonly function: string
      readonly nextRunAt: string | null
      readonly lastRunAt: string | null
      /** null while it runs, or if its server stopped */
      readonly lastOutcome: {
        readonly status: number
        readonly error: string | null
        readonly endedAt: string
      } | null
      readonly disabledAt: string | null
    })[]
  }

  /** Lists the classes enabled for search, and the progress of their indexes. */
  'GET /admin/apps/{appId}/search': {
    readonly classes: readonly {
      readonly className: string
      readonly fields: readonly string[]
      /** existing objects are being indexed */
      readonly building: boolean
      /** writes that are not indexed yet */
      readonly pending: number
    }[]
  }

  /** Rebuilds the search index of a class; searches continue meanwhile. */
  'POST /admin/apps/{appId}/search/rebuild': object
}

/** The body that each endpoint of the management API takes, of those that take one. */
export interface Bodies {
  /** Starts a session with name and password. */
  'POST /admin/login': {
    readonly name: string
    readonly password: string
    readonly code?: string
  }

  /** Starts a session with a link, which can be used once. */
  'POST /admin/login/link': {
    readonly token: string
  }

  /** Creates a ticket for one path, with which the browser can start a download within a minute. */
  'POST /admin/me/download-tickets': {
    readonly path: string
  }

  /** Sets the password of the caller and ends all other sessions. */
  'PUT /admin/me/password': {
    readonly currentPassword?: string
    readonly password: string
  }

  /** Creates a secret for one-time codes; they are required once one is confirmed. */
  'POST /admin/me/codes': {
    readonly currentPassword?: string
  }

  /** Disables one-time codes. */
  'DELETE /admin/me/codes': {
    readonly currentPassword?: string
  }

  /** Confirms a one-time code; from then on each login requires one. */
  'POST /admin/me/codes/confirm': {
    readonly code: string
  }

  /** Adds an administrator and creates a login link. */
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

  /** Begins a backup. */
  'POST /admin/backups': {
    /** URL of another target, in the forms of `--backup-url`; allowed with the administrator token only */
    readonly target?: string
  }

  /** Examines the responding node, the servers that it uses, and all apps. Calls during a run get its report. */
  'POST /admin/doctor': {
    /** An HTTP server whose clock is compared with that of the server. */
    readonly clockUrl?: string
  }

  /** Creates an app; keys that are not given are generated. */
  'POST /admin/apps': {
    readonly name?: string
    readonly ownerEmail?: string | null
    readonly appId?: string
    readonly appKey?: string
    readonly masterKey?: string
    readonly hookKey?: string
  }

  /** Renames an app, sets its owner's address, or replaces its keys; old keys stop working. */
  'PATCH /admin/apps/{appId}': {
    readonly name?: string
    readonly ownerEmail?: string | null
    /** true: all three */
    readonly rotateKeys?: true | readonly ('appKey' | 'masterKey' | 'hookKey')[]
  }

  /** Changes settings by a JSON merge patch (RFC 7396): null restores the default. Names can be paths, such as engine.production. */
  'PATCH /admin/apps/{appId}/settings': {
    readonly [name: string]: unknown
  }

  /** Creates a class. */
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

  /** Counts the objects of a class that match a condition. */
  'POST /admin/apps/{appId}/classes/{className}/count': {
    /** The condition, as in class queries */
    readonly where?: unknown
  }

  /** Finds objects of a class, in pages ordered by one field. */
  'POST /admin/apps/{appId}/classes/{className}/find': {
    /** The condition, as in class queries */
    readonly where?: unknown
    /** One field; a minus before it for descending order */
    readonly order?: string
    /** Fields separated by commas; default: all */
    readonly keys?: string
    readonly limit?: number
    /** `next` of the previous page */
    readonly after?: string
  }

  /** Restores a deleted object under its original id. */
  'POST /admin/apps/{appId}/classes/{className}/restore': {
    readonly objectId: string
    readonly createdAt: string
    /** With its former `ACL` */
    readonly fields: {
      readonly [name: string]: unknown
    }
  }

  /** Returns which of the given keys have no stored bytes. */
  'POST /admin/apps/{appId}/files/missing': {
    readonly keys: readonly string[]
  }

  /** Starts an import, or returns its progress. */
  'PUT /admin/apps/{appId}/imports/{importId}': {
    readonly source: string
    readonly again?: boolean
  }

  /** Writes the next batch of an import, together with its position. */
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

  /** Builds the indexes that classes need after an import, and counts their objects. */
  'POST /admin/apps/{appId}/imports/finish': {
    readonly classes: readonly string[]
  }

  /** Rewrites URLs of files in fields or messages, one page. */
  'POST /admin/apps/{appId}/rewritten-urls': {
    readonly of: 'messages' | {
      readonly className: string
      readonly fields: readonly string[] | null
    }
    readonly after: string | null
    readonly places: readonly string[]
  }

  /** Compares the objects seen by a pull with the objects of the app. */
  'POST /admin/apps/{appId}/pulls/differences': {
    readonly part: PulledPart
  }

  /** Lists objects of the app that are no longer in the source. */
  'POST /admin/apps/{appId}/pulls/missing': {
    readonly part: PulledPart
    readonly most: number
  }

  /** Deletes objects that are no longer in the source. */
  'POST /admin/apps/{appId}/pulls/removals': {
    readonly part: PulledPart
    readonly gone: readonly PulledId[]
    readonly found: readonly PulledId[]
  }

  /** Creates a leaderboard like that of the source. */
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

  /** Starts or continues to try, bring or verify. */
  'POST /admin/apps/{appId}/moves/{moveId}/begin': {
    /** `try` changes nothing, `bring` copies the data, `verify` compares */
    readonly action: 'try' | 'bring' | 'verify'
    readonly options?: MoveOptions
    readonly masterKey?: string
  }

  /** Checks address and keys of the source of a move with one request. */
  'POST /admin/apps/{appId}/moves/check': {
    readonly url: string
    readonly appId: string
    readonly masterKey: string
  }

  /** Starts to compare a source with the app. */
  'POST /admin/apps/{appId}/verifications': {
    readonly count?: readonly string[]
  }

  /** Compares records with the app. */
  'POST /admin/apps/{appId}/verifications/batches': {
    readonly of: RecordKind
    readonly file: string
    readonly items: readonly ImportItem[]
    readonly share?: number
    readonly formerPlaces?: readonly string[]
  }

  /** Lists the records of the app, to find those that are missing in the source. */
  'POST /admin/apps/{appId}/verifications/keys': {
    readonly of: RecordKind
    readonly after?: string | null
  }

  /** Compares file records with stored bytes, one page; the response says where the next page begins. */
  'POST /admin/apps/{appId}/files/check': {
    readonly from: FileCheckPosition | null
    readonly checksums?: boolean
    readonly repair?: boolean
  }

  /** Checks a credential with its provider, by a message to no device. */
  'POST /admin/apps/{appId}/push-credentials/check': {
    readonly provider: 'apns' | 'hms' | 'honor' | 'mi' | 'mz' | 'oppo' | 'vivo' | 'fcm'
    readonly kind: 'key' | 'certificate' | 'account'
    readonly name: string
  }

  /** Calls a function of the app's cloud code and returns its response. */
  'POST /admin/apps/{appId}/engine/functions/{name}': {
    readonly parameters?: {
      readonly [name: string]: unknown
    }
    readonly production?: boolean
    /** user who makes the call; default: a call with the master key */
    readonly sessionToken?: string
  }
}
