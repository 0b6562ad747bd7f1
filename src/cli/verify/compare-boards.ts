import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { insisting } from '../import/send-batch.ts'
import type { Management } from '../management.ts'
import { kindOf, statisticOf } from '../pull/pull-boards.ts'
import type { SourceBatch } from './verification.ts'

/** Ranks here that are looked at: one request. */
const TOP = 1000
/** What decides who may be in a board, and who is in front. */
const SETTINGS = ['memberType', 'order', 'updateStrategy', 'versionChangeInterval'] as const

/** What came of the leaderboards: a line each. */
export interface ComparedBoards {
  readonly faults: readonly string[]
  readonly notes: readonly string[]
}

/** The values of a board here: how many, and those of its first ranks. */
interface Values {
  readonly count: number
  readonly top: ReadonlyMap<string, number>
}

/**
 * Compares leaderboards: which there are, their settings and versions, how many members each has, and the values of the first
 * thousand here. A board goes on by itself: a version that has ended here, and a value that can have changed, are told of only.
 */
export class BoardComparison {
  readonly #management: Management
  readonly #appPath: string
  #here: Promise<ReadonlyMap<string, JsonObject>> | undefined
  readonly #values = new Map<string, Promise<Values>>()
  /** Members that the source has, and values that are others here, by board. */
  readonly #there = new Map<string, { count: number; worse: number; other: number }>()
  readonly #faults: string[] = []
  readonly #notes: string[] = []

  constructor(management: Management, appPath: string) {
    this.#management = management
    this.#appPath = `${appPath}/api/1.1/leaderboard/leaderboards`
  }

  /** Takes leaderboards, or values of one. @returns whether it is about these */
  async take({ of, file, items }: SourceBatch): Promise<boolean> {
    if (of.kind !== 'boards' && of.kind !== 'statistics') return false
    const objects: JsonObject[] = []
    for (const { at, text, reason } of items) {
      const record = reason === undefined ? objectIn(text) : null
      if (record) objects.push(record)
      else this.#faults.push(`${file}:${at}: ${reason ?? 'is no record of a leaderboard'}`)
    }
    if (of.kind === 'boards') for (const board of objects) await this.#compareBoard(board)
    else await this.#compareValues(of.board, of.version, objects)
    return true
  }

  /** To be called in the end. */
  async compared(): Promise<ComparedBoards> {
    for (const [name, { count, worse, other }] of this.#there) {
      const here = (await this.#values.get(name))?.count ?? 0
      if (here < count) this.#faults.push(`leaderboard ${name} has ${here} members here, ${count} there`)
      if (worse > 0) this.#faults.push(`leaderboard ${name}: ${worse} values are worse here`)
      if (other > 0) this.#notes.push(`leaderboard ${name}: ${other} values are others here`)
    }
    return { faults: this.#faults, notes: this.#notes }
  }

  async #compareBoard(there: JsonObject): Promise<void> {
    const name = String(there.statisticName)
    const here = (await this.#boards()).get(name)
    if (!here) {
      this.#faults.push(`there is no leaderboard ${name} here`)
      return
    }
    for (const setting of SETTINGS) {
      const [wanted, present] = [there[setting], here[setting]]
      if (wanted !== undefined && wanted !== present)
        this.#faults.push(`leaderboard ${name}: ${setting} is ${shown(present)} here, ${shown(wanted)} there`)
    }
    const text = `leaderboard ${name} is at version ${shown(here.version)} here, at ${shown(there.version)} there`
    if (Number(here.version) < Number(there.version)) this.#faults.push(text)
    else if (here.version !== there.version) this.#notes.push(text)
  }

  async #compareValues(name: string, version: number, records: readonly JsonObject[]): Promise<void> {
    const board = (await this.#boards()).get(name)
    // It is told of as missing, or has gone on.
    if (!board || board.version !== version) return
    const reading = this.#values.get(name) ?? this.#readValues(name, String(board.memberType), version)
    this.#values.set(name, reading)
    const { top } = await reading
    const sum = this.#there.get(name) ?? { count: 0, worse: 0, other: 0 }
    this.#there.set(name, sum)
    for (const { member, value } of records) {
      sum.count++
      const here = top.get(String(member))
      if (here === undefined || typeof value !== 'number' || here === value) continue
      const isWorse = board.order === 'ascending' ? here > value : here < value
      if (board.updateStrategy === 'better' && isWorse) sum.worse++
      else sum.other++
    }
  }

  #boards(): Promise<ReadonlyMap<string, JsonObject>> {
    const read = async () => {
      const { results } = await this.#get('')
      return new Map(results.map((board) => [String(board.statisticName), board]))
    }
    this.#here ??= read()
    return this.#here
  }

  async #readValues(name: string, memberType: string, version: number): Promise<Values> {
    const kind = kindOf(memberType)
    const query = `maxResultsCount=${TOP}&count=1&version=${version}`
    const { results, count } = await this.#get(`/${kind}/${encodeURIComponent(name)}/ranks?${query}`)
    const rows = results.map((row) => JSON.parse(statisticOf(row, kind)) as { member: string; value: number })
    return { count, top: new Map(rows.map(({ member, value }) => [member, value])) }
  }

  async #get(path: string): Promise<{ readonly results: readonly JsonObject[]; readonly count: number }> {
    const answer = await insisting(() => this.#management.request('GET', this.#appPath + path))
    return answer as { readonly results: readonly JsonObject[]; readonly count: number }
  }
}

function objectIn(text: string): JsonObject | null {
  try {
    const record = JSON.parse(text) as Json
    return isJsonObject(record) ? record : null
  } catch {
    return null
  }
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'nothing' : String(value)
}
