import { messages } from './suite/messages.ts'
import { oneServer } from './suite/place.ts'

messages(await oneServer())
