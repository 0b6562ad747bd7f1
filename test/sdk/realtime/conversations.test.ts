import { conversations } from './suite/conversations.ts'
import { oneServer } from './suite/place.ts'

conversations(await oneServer())
