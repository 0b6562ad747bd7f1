import { appItself, type Party } from '../turns/party.ts'
import { appOfStatement } from './app-of-statement.ts'

/** A statement with `$1`, `$2`, … whose text never changes. */
export class Statement {
  readonly text: string
  /** Whose turn it takes where no caller is named. */
  readonly party: Party

  constructor(text: string) {
    this.text = text
    this.party = appItself(appOfStatement(text))
  }
}
