import { conversations } from './suite/conversations.ts'
import { oneServer } from './suite/environment.ts'

conversations(await oneServer())
