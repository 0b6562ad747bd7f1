import { oneServer } from './suite/environment.ts'
import { typedMessages } from './suite/typed-messages.ts'

typedMessages(await oneServer())
