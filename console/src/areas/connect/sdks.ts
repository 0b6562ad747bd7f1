import type { SdkKey } from './sdk-keys.ts'
import { blogs } from './snippets/blogs.ts'
import { android, csharp, flutter, objectiveC, swift } from './snippets/native.ts'
import { go, php, python, rest } from './snippets/servers.ts'
import type { ServerAddress, Snippet } from './snippets/snippet.ts'
import { javascript, miniProgram } from './snippets/web.ts'

interface Sdk {
  readonly key: SdkKey
  readonly snippets: (server: ServerAddress) => Snippet[]
}

/** The connection code of each client, following docs/clients.md. Texts: `connect:sdks.<key>`. */
export const SDKS: readonly Sdk[] = [
  { key: 'javascript', snippets: javascript },
  { key: 'miniProgram', snippets: miniProgram },
  { key: 'android', snippets: android },
  { key: 'swift', snippets: swift },
  { key: 'objectiveC', snippets: objectiveC },
  { key: 'csharp', snippets: csharp },
  { key: 'flutter', snippets: flutter },
  { key: 'python', snippets: python },
  { key: 'go', snippets: go },
  { key: 'php', snippets: php },
  { key: 'rest', snippets: rest },
  { key: 'blogs', snippets: blogs },
]
