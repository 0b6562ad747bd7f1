import { oneServer } from './suite/environment.ts'
import { messages } from './suite/messages.ts'

messages(await oneServer())
